// A peer in Go, written and tuned as the documentation of its libraries recommends: net/http with a hand-written JSON encoder, or grpc-go with
// generated messages; pgx, whose pool prepares each statement once per connection; and one statement per request.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"syscall"

	"github.com/jackc/pgx/v5/pgxpool"
)

const maxConns = 16

func main() {
	usesGRPC := flag.Bool("grpc", false, "serve gRPC instead of JSON over HTTP/1.1")
	batches := flag.Bool("batching", false, "send the statements of concurrent requests as batches")
	flag.Parse()
	if err := run(*usesGRPC, *batches); err != nil {
		log.Fatal(err)
	}
}

// run serves on a port of this machine until the process gets SIGTERM.
func run(usesGRPC, batches bool) error {
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := pgxpool.ParseConfig(os.Getenv("DATABASE_URL"))
	if err != nil {
		return err
	}
	config.MaxConns = maxConns
	conns, err := pgxpool.NewWithConfig(ctx, config)
	if err != nil {
		return err
	}
	defer conns.Close()
	listener, err := net.Listen("tcp", "127.0.0.1:"+os.Getenv("PORT"))
	if err != nil {
		return err
	}
	fmt.Printf("listening on http://%s\n", listener.Addr())

	pools := &store{reads: direct{conns}, writes: direct{conns}}
	if batches {
		pools = &store{reads: newBatcher(conns, readBatches), writes: newBatcher(conns, writeBatches)}
	}
	if usesGRPC {
		server := newGRPCServer(pools)
		context.AfterFunc(ctx, server.Stop)
		return server.Serve(listener)
	}
	server := &http.Server{Handler: newHandler(pools)}
	context.AfterFunc(ctx, func() { server.Close() })
	if err := server.Serve(listener); err != http.ErrServerClosed {
		return err
	}
	return nil
}
