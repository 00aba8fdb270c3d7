package main

import (
	"context"
	"errors"
	"log"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5/pgtype"
	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/types/known/timestamppb"

	pb "calltrack/go-peer/gen/calltracking/v1"
)

// poolServer implements the measured methods of PoolService.
type poolServer struct {
	pb.UnimplementedPoolServiceServer
	pools *store
}

func newGRPCServer(pools *store) *grpc.Server {
	server := grpc.NewServer()
	pb.RegisterPoolServiceServer(server, &poolServer{pools: pools})
	return server
}

func (s *poolServer) GetPool(ctx context.Context, request *pb.GetPoolRequest) (*pb.Pool, error) {
	if request.GetAccountId() == "" {
		return nil, statusOf(invalidField("account_id"))
	}
	found, err := s.pools.getPool(ctx, request.GetAccountId(), request.GetPoolId())
	if err != nil {
		return nil, statusOf(err)
	}
	return messageOf(found), nil
}

func (s *poolServer) ListPools(ctx context.Context, request *pb.ListPoolsRequest) (*pb.ListPoolsResponse, error) {
	if request.GetAccountId() == "" {
		return nil, statusOf(invalidField("account_id"))
	}
	found, err := s.pools.listPools(ctx, request.GetAccountId())
	if err != nil {
		return nil, statusOf(err)
	}
	messages := make([]*pb.Pool, len(found))
	for i := range found {
		messages[i] = messageOf(&found[i])
	}
	return &pb.ListPoolsResponse{Pools: messages}, nil
}

func (s *poolServer) CreatePool(ctx context.Context, request *pb.CreatePoolRequest) (*pb.Pool, error) {
	if request.GetAccountId() == "" {
		return nil, statusOf(invalidField("account_id"))
	}
	fields := fieldsOf(request)
	if err := fields.validate(); err != nil {
		return nil, statusOf(err)
	}
	created, err := s.pools.createPool(ctx, request.GetAccountId(), fields)
	if err != nil {
		return nil, statusOf(err)
	}
	return messageOf(created), nil
}

func fieldsOf(request *pb.CreatePoolRequest) *newPool {
	fields := &newPool{
		OriginalNumber: request.OriginalNumber,
		AreaCode:       request.AreaCode,
		Description:    request.Description,
		IsDNI:          request.IsDni,
		IsPrompted:     request.IsPrompted,
		IsRecorded:     request.IsRecorded,
		PropertyToken:  request.PropertyToken,
		Size:           request.Size,
		Utilization:    request.Utilization,
	}
	poolType := ""
	switch request.GetPoolType() {
	case pb.PoolType_POOL_TYPE_MANUAL:
		poolType = manual
	case pb.PoolType_POOL_TYPE_AUTOMANAGED:
		poolType = automanaged
	}
	fields.PoolType = &poolType
	return fields
}

func messageOf(p *pool) *pb.Pool {
	poolType := pb.PoolType_POOL_TYPE_AUTOMANAGED
	if p.poolType.String == manual {
		poolType = pb.PoolType_POOL_TYPE_MANUAL
	}
	message := &pb.Pool{
		Id:               p.id.String(),
		OriginalNumberId: p.originalNumberID.String(),
		AccountToken:     p.accountToken,
		AreaCode:         p.areaCode.String,
		Description:      optionalText(&p.description),
		IsDni:            p.isDNI.Bool,
		IsPrompted:       p.isPrompted.Bool,
		IsRecorded:       p.isRecorded.Bool,
		PoolType:         poolType,
		PropertyToken:    optionalText(&p.propertyToken),
		Size:             p.size.Int32,
		CreatedAt:        timestamppb.New(p.createdAt.Time.Truncate(time.Millisecond)),
		UpdatedAt:        timestamppb.New(p.updatedAt.Time.Truncate(time.Millisecond)),
		Etag:             `"` + strconv.FormatInt(p.updatedAt.Time.UnixMilli(), 10) + `"`,
	}
	if p.utilization.Valid {
		message.Utilization = &p.utilization.Float64
	}
	return message
}

func optionalText(text *pgtype.Text) *string {
	if !text.Valid {
		return nil
	}
	return &text.String
}

func statusOf(err error) error {
	var field invalidField
	switch {
	case errors.As(err, &field):
		return status.Error(codes.InvalidArgument, err.Error())
	case errors.Is(err, errAccountNotFound), errors.Is(err, errPoolNotFound):
		return status.Error(codes.NotFound, err.Error())
	case errors.Is(err, errNumberNotRegistered), errors.Is(err, errAccountDisabled):
		return status.Error(codes.FailedPrecondition, err.Error())
	}
	log.Print(err)
	return status.Error(codes.Internal, "internal error")
}
