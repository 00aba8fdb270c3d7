"""Creates an account and three pools, sends each request for a pool twice, and then lists, pages and exports the pools."""

import sys

import grpc
from calltracking.v1 import account_pb2, account_pb2_grpc
from calltracking.v1 import phone_number_pb2, phone_number_pb2_grpc
from calltracking.v1 import pool_pb2, pool_pb2_grpc

target, token, number = sys.argv[1:]
with grpc.insecure_channel(target) as channel:
    accounts = account_pb2_grpc.AccountServiceStub(channel)
    numbers = phone_number_pb2_grpc.PhoneNumberServiceStub(channel)
    pools = pool_pb2_grpc.PoolServiceStub(channel)

    accounts.CreateAccount(account_pb2.CreateAccountRequest(account_token=token))
    numbers.CreatePhoneNumber(
        phone_number_pb2.CreatePhoneNumberRequest(account_id=token, phone_number=number)
    )
    for size in (1, 2, 3):
        request = pool_pb2.CreatePoolRequest(
            account_id=token,
            original_number=number,
            area_code="222",
            is_dni=True,
            is_prompted=False,
            is_recorded=False,
            pool_type=pool_pb2.POOL_TYPE_MANUAL,
            size=size,
            request_id=f"{token}-{size}",
        )
        created = pools.CreatePool(request, timeout=10)
        assert created == pools.CreatePool(request, timeout=10)

    everything = pools.ListPools(pool_pb2.ListPoolsRequest(account_id=token)).pools
    pages = []
    page_token = ""
    while not pages or page_token:
        page = pools.ListPools(
            pool_pb2.ListPoolsRequest(account_id=token, page_size=2, page_token=page_token)
        )
        pages.append(len(page.pools))
        page_token = page.next_page_token
    streamed = sum(
        pool.size for pool in pools.ExportPools(pool_pb2.ExportPoolsRequest(account_id=token))
    )
    try:
        accounts.CreateAccount(account_pb2.CreateAccountRequest(account_token=token))
        code = "OK"
    except grpc.RpcError as error:
        code = error.code().name
    print(f"{len(everything)} pools, {len(pages)} pages, {streamed} streamed, {code}")
