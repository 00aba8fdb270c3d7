package main

import (
	"context"
	_ "embed"
	"errors"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The statements in ../pool-statements.ts, which the build writes to these files.
var (
	//go:embed get_pool.sql
	getPoolSQL string
	//go:embed list_pools.sql
	listPoolsSQL string
	//go:embed create_pool.sql
	createPoolSQL string
	//go:embed find_account.sql
	findAccountSQL string
)

var (
	errAccountNotFound     = errors.New("account not found")
	errPoolNotFound        = errors.New("pool not found")
	errNumberNotRegistered = errors.New("original_number is not registered")
	errAccountDisabled     = errors.New("account is disabled")
)

// pool is a row with a pool. Its columns are null if the account has no such pool.
type pool struct {
	id               pgtype.UUID
	originalNumberID pgtype.UUID
	accountToken     string
	areaCode         pgtype.Text
	description      pgtype.Text
	isDNI            pgtype.Bool
	isPrompted       pgtype.Bool
	isRecorded       pgtype.Bool
	poolType         pgtype.Text
	propertyToken    pgtype.Text
	size             pgtype.Int4
	utilization      pgtype.Float8
	createdAt        pgtype.Timestamptz
	updatedAt        pgtype.Timestamptz
}

// querier runs a statement. If it repeats the statement, it calls read again.
type querier interface {
	query(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error
}

// direct runs each statement separately, on any free connection.
type direct struct{ conns *pgxpool.Pool }

func (d direct) query(ctx context.Context, sql string, args []any, read func(pgx.Rows) error) error {
	rows, err := d.conns.Query(ctx, sql, args...)
	if err != nil {
		return err
	}
	defer rows.Close()
	if err := read(rows); err != nil {
		return err
	}
	return rows.Err()
}

// store reads and creates pools.
type store struct{ reads, writes querier }

func (s *store) getPool(ctx context.Context, account, id string) (*pool, error) {
	uuid, ok := parseUUID(id)
	if !ok {
		return nil, errPoolNotFound
	}
	pools, err := s.readPools(ctx, 1, getPoolSQL, account, uuid)
	if err != nil {
		return nil, err
	}
	if len(pools) == 0 {
		return nil, errPoolNotFound
	}
	return &pools[0], nil
}

func (s *store) listPools(ctx context.Context, account string) ([]pool, error) {
	return s.readPools(ctx, 32, listPoolsSQL, account)
}

// readPools returns the pools that a statement selects. The slice starts with the given capacity.
func (s *store) readPools(ctx context.Context, capacity int, sql string, args ...any) ([]pool, error) {
	pools := make([]pool, 0, capacity)
	err := s.reads.query(ctx, sql, args, func(rows pgx.Rows) error {
		var row pool
		columns := append([]any{&row.accountToken}, row.columns()...)
		pools = pools[:0]
		for rows.Next() {
			if err := rows.Scan(columns...); err != nil {
				return err
			}
			pools = append(pools, row)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if len(pools) == 0 {
		return nil, errAccountNotFound
	}
	if !pools[0].id.Valid {
		return nil, nil
	}
	return pools, nil
}

// createPool creates a pool from a valid request.
func (s *store) createPool(ctx context.Context, account string, request *newPool) (*pool, error) {
	args := append([]any{account}, request.values()...)
	var row pool
	isCreated := false
	err := s.writes.query(ctx, createPoolSQL, args, func(rows pgx.Rows) error {
		isCreated = rows.Next()
		if !isCreated {
			return nil
		}
		return rows.Scan(append(row.columns(), &row.accountToken)...)
	})
	if err != nil {
		return nil, err
	}
	if !isCreated {
		return nil, s.whyNotCreated(ctx, account)
	}
	return &row, nil
}

func (s *store) whyNotCreated(ctx context.Context, account string) error {
	reason := errAccountNotFound
	err := s.reads.query(ctx, findAccountSQL, []any{account}, func(rows pgx.Rows) error {
		if !rows.Next() {
			return nil
		}
		var isActive bool
		err := rows.Scan(&isActive)
		reason = errAccountDisabled
		if isActive {
			reason = errNumberNotRegistered
		}
		return err
	})
	if err != nil {
		return err
	}
	return reason
}

// columns returns the scan targets of all columns except the account token, in the order of the statements.
func (p *pool) columns() []any {
	return []any{
		&p.id, &p.originalNumberID, &p.areaCode, &p.description, &p.isDNI, &p.isPrompted, &p.isRecorded, &p.poolType,
		&p.propertyToken, &p.size, &p.utilization, &p.createdAt, &p.updatedAt,
	}
}

// parseUUID parses a UUID with hyphens.
func parseUUID(text string) (id pgtype.UUID, ok bool) {
	if len(text) != 36 || text[8] != '-' || text[13] != '-' || text[18] != '-' || text[23] != '-' {
		return id, false
	}
	err := id.Scan(text)
	return id, err == nil
}
