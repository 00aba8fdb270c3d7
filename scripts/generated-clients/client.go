// Creates an account and three pools, sends each request for a pool twice, and then lists, pages and exports the pools.
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"time"

	ct "calltrack.example/gen/calltracking/v1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/proto"
)

func main() {
	log.SetFlags(0)
	target, token, number := os.Args[1], os.Args[2], os.Args[3]
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Second)
	defer cancel()
	// Newer versions of grpc-go replace this option with insecure.NewCredentials.
	conn, err := grpc.DialContext(ctx, target, grpc.WithInsecure())
	check(err)
	defer conn.Close()
	accounts, numbers, pools := ct.NewAccountServiceClient(conn), ct.NewPhoneNumberServiceClient(conn), ct.NewPoolServiceClient(conn)

	_, err = accounts.CreateAccount(ctx, &ct.CreateAccountRequest{AccountToken: &token})
	check(err)
	_, err = numbers.CreatePhoneNumber(ctx, &ct.CreatePhoneNumberRequest{AccountId: &token, PhoneNumber: &number})
	check(err)
	for size := int32(1); size <= 3; size++ {
		request := &ct.CreatePoolRequest{
			AccountId:      &token,
			OriginalNumber: &number,
			AreaCode:       proto.String("222"),
			IsDni:          proto.Bool(true),
			IsPrompted:     proto.Bool(false),
			IsRecorded:     proto.Bool(false),
			PoolType:       ct.PoolType_POOL_TYPE_MANUAL.Enum(),
			Size:           &size,
			RequestId:      proto.String(fmt.Sprintf("%s-%d", token, size)),
		}
		created, err := pools.CreatePool(ctx, request)
		check(err)
		again, err := pools.CreatePool(ctx, request)
		check(err)
		if !proto.Equal(created, again) {
			log.Fatalf("a retry created another pool: %v and %v", created, again)
		}
	}

	all, err := pools.ListPools(ctx, &ct.ListPoolsRequest{AccountId: &token})
	check(err)
	pages, pageToken := 0, ""
	for pages == 0 || pageToken != "" {
		page, err := pools.ListPools(ctx, &ct.ListPoolsRequest{AccountId: &token, PageSize: proto.Int32(2), PageToken: &pageToken})
		check(err)
		pages, pageToken = pages+1, page.NextPageToken
	}
	stream, err := pools.ExportPools(ctx, &ct.ExportPoolsRequest{AccountId: &token})
	check(err)
	streamed := int32(0)
	for {
		pool, err := stream.Recv()
		if err == io.EOF {
			break
		}
		check(err)
		streamed += pool.Size
	}
	_, err = accounts.CreateAccount(ctx, &ct.CreateAccountRequest{AccountToken: &token})
	code := map[string]string{"AlreadyExists": "ALREADY_EXISTS"}[status.Code(err).String()]
	fmt.Printf("%d pools, %d pages, %d streamed, %s\n", len(all.Pools), pages, streamed, code)
}

func check(err error) {
	if err != nil {
		log.Fatal(err)
	}
}
