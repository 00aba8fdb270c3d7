"""Makes unary calls with Python's grpcio. Reads calls from stdin and writes responses to stdout, each as one line of JSON."""

import base64
import json
import sys
import threading

import grpc


def same(data):
    return data


def metadata_of(pairs):
    return [
        [key, base64.b64encode(value).decode() if isinstance(value, bytes) else value]
        for key, value in pairs or ()
    ]


def send(call):
    compression = grpc.Compression.Gzip if call.get("compressed") else None
    metadata = [
        (key, base64.b64decode(value) if key.endswith("-bin") else value)
        for key, value in call.get("metadata", [])
    ]
    with grpc.insecure_channel(f"127.0.0.1:{call['port']}", options=[("grpc.max_receive_message_length", -1)]) as channel:
        method = channel.unary_unary(call["path"], request_serializer=same, response_deserializer=same)
        future = method.future(
            base64.b64decode(call["message"]),
            metadata=metadata,
            timeout=call["timeoutMs"] / 1000 if "timeoutMs" in call else None,
            compression=compression,
        )
        if "cancelAfterMs" in call:
            threading.Timer(call["cancelAfterMs"] / 1000, future.cancel).start()
        try:
            message = base64.b64encode(future.result()).decode()
        except (grpc.RpcError, grpc.FutureCancelledError):
            message = None
        return {
            "code": future.code().value[0],
            "text": future.details(),
            "header": metadata_of(future.initial_metadata()),
            "trailer": metadata_of(future.trailing_metadata()),
            "message": message,
        }


for line in sys.stdin:
    print(json.dumps(send(json.loads(line))), flush=True)
