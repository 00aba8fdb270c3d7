#!/usr/bin/env bash
# Generates gRPC clients for Python, Go, Java and C++ from the protos, compiles them without warnings, and runs each against a server.
# Uses Debian's compilers, which are old; the clients must compile with newer ones too. `npm test` generates the clients for TypeScript.
#   bash scripts/check-generated-clients.sh [python|go|java|cpp]...   checks these languages (default: all)
#   bash scripts/check-generated-clients.sh --packages                 prints the required Debian packages
set -euo pipefail

packages=(
  protobuf-compiler protobuf-compiler-grpc python3-grpcio
  golang-go protoc-gen-go protoc-gen-go-grpc golang-google-grpc-dev golang-github-golang-protobuf-1-5-dev golang-google-protobuf-dev
  golang-google-genproto-dev
  default-jdk-headless protobuf-compiler-grpc-java-plugin libgrpc-java libprotobuf-java libnetty-java libperfmark-java libguava-java
  libgeronimo-annotation-1.3-spec-java libjsr305-java liberror-prone-java
  g++ pkgconf libgrpc++-dev libprotobuf-dev
)
if [ "${1-}" = --packages ]; then
  echo "${packages[*]}"
  exit
fi
missing=()
for package in "${packages[@]}"; do
  dpkg-query --show --showformat='${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done
if ((${#missing[@]} > 0)); then
  echo "Install the compilers first: apt-get install --no-install-recommends ${missing[*]}" >&2
  exit 2
fi

cd "$(dirname "$0")/.."
clients=$PWD/scripts/generated-clients
node scripts/run.mjs build
node=$PWD/node_modules/node/bin/node
work=$(mktemp -d)
server=
trap '[ -z "$server" ] || kill "$server"; rm -rf "$work"' EXIT
"$node" node_modules/@bufbuild/buf/bin/buf export proto --output "$work/protos"

DATA_DIR=memory:// PORT=0 HOST=127.0.0.1 "$node" apps/server/dist/bundle/main.js >"$work/log" 2>&1 &
server=$!
port=
for ((tries = 0; tries < 600; tries++)); do
  port=$(sed -n 's|^listening on http://127.0.0.1:\([0-9]*\)$|\1|p' "$work/log")
  [ -z "$port" ] || break
  kill -0 "$server" 2>/dev/null || { cat "$work/log" >&2; exit 1; }
  sleep 0.1
done
[ -n "$port" ] || { echo "the server did not print its port within 60 seconds:" >&2; cat "$work/log" >&2; exit 1; }

cd "$work/protos"
mapfile -t own < <(find calltracking transcoding -name '*.proto')
mapfile -t imported < <(find google -name '*.proto')

# Runs a command, and fails if it prints anything.
silently() {
  "$@" >"$work/output" 2>&1 || { cat "$work/output" >&2; return 1; }
  [ ! -s "$work/output" ] || { cat "$work/output" >&2; echo "$1 printed warnings" >&2; return 1; }
}

generate() {
  silently protoc -I. "$@"
}

# Runs a client, with a separate account and number for each language.
check() {
  local language=$1 number=$2 expected="3 pools, 2 pages, 6 streamed, ALREADY_EXISTS" printed
  shift 2
  printed=$("$@" "127.0.0.1:$port" "client-$language" "$number")
  [ "$printed" = "$expected" ] || { echo "$language printed \"$printed\" instead of \"$expected\"" >&2; return 1; }
  echo "$language: $printed"
}

client_python() {
  local out=$work/python
  mkdir "$out"
  generate --python_out="$out" --grpc_out="$out" --plugin=protoc-gen-grpc="$(command -v grpc_python_plugin)" \
    "${own[@]}" "${imported[@]}"
  silently /usr/bin/python3 -W error -m compileall -q "$out"
  check python +12223330001 env PYTHONPATH="$out" /usr/bin/python3 -W error "$clients/client.py"
}

client_go() {
  local source=$work/go/src
  mkdir -p "$source/client"
  generate --go_out="$source" --go-grpc_out="$source" "${own[@]}"
  cp "$clients/client.go" "$source/client/main.go"
  # Debian packages the libraries as sources for GOPATH, not as modules.
  export GO111MODULE=off GOPATH=$work/go:/usr/share/gocode GOCACHE=$work/go-cache
  silently go vet calltrack.example/gen/... client
  silently go build -o "$work/go/run" client
  check go +12223330002 "$work/go/run"
}

client_java() {
  local out=$work/java jars
  mkdir -p "$out/sources" "$out/classes"
  generate --java_out="$out/sources" --grpc-java_out="$out/sources" \
    --plugin=protoc-gen-grpc-java="$(command -v grpc_java_plugin)" "${own[@]}" "${imported[@]}"
  jars=$(printf '%s:' /usr/share/java/{grpc-api,grpc-context,grpc-core,grpc-netty,grpc-protobuf,grpc-protobuf-lite,grpc-stub}.jar \
    /usr/share/java/netty-{buffer,codec,codec-http,codec-http2,codec-socks,common,handler,handler-proxy,resolver,transport}.jar \
    /usr/share/java/{protobuf,guava,perfmark-api,geronimo-annotation-1.3-spec,jsr305,error_prone_annotations}.jar)
  mapfile -t sources < <(find "$out/sources" -name '*.java')
  silently javac -Xlint:all -Werror -cp "$jars" -d "$out/classes" "${sources[@]}" "$clients/Client.java"
  check java +12223330003 java -cp "$jars$out/classes" Client
}

client_cpp() {
  local out=$work/cpp flags=(-std=c++17 -Wall -Wextra -Werror)
  mkdir "$out"
  generate --cpp_out="$out" --grpc_out="$out" --plugin=protoc-gen-grpc="$(command -v grpc_cpp_plugin)" "${own[@]}" "${imported[@]}"
  cp "$clients/client.cc" "$out"
  (cd "$out" && find . -name '*.cc' -print0 | silently xargs -0 -P "$(nproc)" -I{} g++ "${flags[@]}" -I. -c {} -o {}.o)
  # shellcheck disable=SC2046
  (cd "$out" && silently g++ $(find . -name '*.o') $(pkg-config --libs grpc++ protobuf) -o run)
  check cpp +12223330004 "$out/run"
}

(($# > 0)) || set -- python go java cpp
for language in "$@"; do
  case $language in
    python | go | java | cpp) "client_$language" ;;
    *) echo "unknown language $language: use python, go, java or cpp" >&2; exit 2 ;;
  esac
done
