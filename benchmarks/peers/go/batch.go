package main

import (
	"context"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

const (
	// The number of batches in flight. With more, batches would be smaller and cost more round trips. Writes need more, because they wait for the disk.
	readBatches  = 2
	writeBatches = 4
	maxBatch     = 64
)

// batcher sends waiting statements as one batch, in one round trip and one transaction.
type batcher struct {
	conns direct
	queue chan *statement
}

type statement struct {
	sql  string
	args []any
	read func(pgx.Rows) error
	done chan error
}

// newBatcher creates a batcher with a maximum number of batches in flight.
func newBatcher(conns *pgxpool.Pool, batches int) *batcher {
	b := &batcher{conns: direct{conns}, queue: make(chan *statement)}
	for range batches {
		go b.run()
	}
	return b
}

func (b *batcher) query(_ context.Context, sql string, args []any, read func(pgx.Rows) error) error {
	// A caller that disconnects must not cancel other callers' statements, so the batch has no deadline.
	s := &statement{sql: sql, args: args, read: read, done: make(chan error, 1)}
	b.queue <- s
	return <-s.done
}

func (b *batcher) run() {
	for first := range b.queue {
		b.send(b.takeWaiting(first))
	}
}

func (b *batcher) takeWaiting(first *statement) []*statement {
	taken := []*statement{first}
	for len(taken) < maxBatch {
		select {
		case next := <-b.queue:
			taken = append(taken, next)
		default:
			return taken
		}
	}
	return taken
}

// send runs the statements in one transaction. If PostgreSQL rejects one, which rolls back all, each runs alone.
func (b *batcher) send(statements []*statement) {
	ctx := context.Background()
	batch := &pgx.Batch{}
	for _, s := range statements {
		batch.Queue(s.sql, s.args...).Query(s.read)
	}
	err := b.conns.conns.SendBatch(ctx, batch).Close()
	var rejection *pgconn.PgError
	isRejected := errors.As(err, &rejection)
	for _, s := range statements {
		if isRejected {
			s.done <- b.conns.query(ctx, s.sql, s.args, s.read)
		} else {
			s.done <- err
		}
	}
}
