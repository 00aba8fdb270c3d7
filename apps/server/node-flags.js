/**
 * The Node.js flags that the server runs with. The first line of `bin/calltrack-server.cjs` repeats them.
 *
 * `--max-semi-space-size=8` halves the young generation of the garbage collector. Under full load, the server then needs a third less
 * memory and no more processor time.
 *
 * `--no-allocation-site-pretenuring` keeps V8 from allocating short-lived objects in the old generation. V8 otherwise does so if the
 * server is busy in its first second, and each such object retains its whole request until the old generation is collected. In about
 * half of all runs, that doubled both memory and processor time permanently.
 *
 * `--heap-growing-percent=100` collects the old generation when it has doubled. V8 otherwise waits until a small one has quadrupled.
 * Under gRPC load, the server then needs 170 MB instead of 210, and no more processor time.
 *
 * `--disable-sigusr1` keeps the signal from opening Node's inspector, which gives full access to the process.
 */
export const NODE_FLAGS = [
  "--max-semi-space-size=8",
  "--no-allocation-site-pretenuring",
  "--heap-growing-percent=100",
  "--disable-sigusr1",
];
