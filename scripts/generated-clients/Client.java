import calltrack.calltracking.v1.AccountServiceGrpc;
import calltrack.calltracking.v1.CreateAccountRequest;
import calltrack.calltracking.v1.CreatePhoneNumberRequest;
import calltrack.calltracking.v1.CreatePoolRequest;
import calltrack.calltracking.v1.ExportPoolsRequest;
import calltrack.calltracking.v1.ListPoolsRequest;
import calltrack.calltracking.v1.PhoneNumberServiceGrpc;
import calltrack.calltracking.v1.Pool;
import calltrack.calltracking.v1.PoolServiceGrpc;
import calltrack.calltracking.v1.PoolType;
import io.grpc.ManagedChannelBuilder;
import io.grpc.StatusRuntimeException;

/** Creates an account and three pools, sends each request for a pool twice, and then lists, pages and exports the pools. */
final class Client {
  public static void main(String[] arguments) {
    String token = arguments[1];
    String number = arguments[2];
    var channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    var accounts = AccountServiceGrpc.newBlockingStub(channel);
    var numbers = PhoneNumberServiceGrpc.newBlockingStub(channel);
    var pools = PoolServiceGrpc.newBlockingStub(channel);

    var account = CreateAccountRequest.newBuilder().setAccountToken(token).build();
    accounts.createAccount(account);
    numbers.createPhoneNumber(
        CreatePhoneNumberRequest.newBuilder().setAccountId(token).setPhoneNumber(number).build());
    for (int size = 1; size <= 3; size++) {
      var request =
          CreatePoolRequest.newBuilder()
              .setAccountId(token)
              .setOriginalNumber(number)
              .setAreaCode("222")
              .setIsDni(true)
              .setIsPrompted(false)
              .setIsRecorded(false)
              .setPoolType(PoolType.POOL_TYPE_MANUAL)
              .setSize(size)
              .setRequestId(token + "-" + size)
              .build();
      Pool created = pools.createPool(request);
      if (!created.equals(pools.createPool(request))) throw new AssertionError("a retry created another pool");
    }

    int all = pools.listPools(ListPoolsRequest.newBuilder().setAccountId(token).build()).getPoolsCount();
    int pages = 0;
    String pageToken = "";
    do {
      var request = ListPoolsRequest.newBuilder().setAccountId(token).setPageSize(2).setPageToken(pageToken);
      pageToken = pools.listPools(request.build()).getNextPageToken();
      pages++;
    } while (!pageToken.isEmpty());
    int streamed = 0;
    var stream = pools.exportPools(ExportPoolsRequest.newBuilder().setAccountId(token).build());
    while (stream.hasNext()) streamed += stream.next().getSize();
    String code = "OK";
    try {
      accounts.createAccount(account);
    } catch (StatusRuntimeException refused) {
      code = refused.getStatus().getCode().name();
    }
    System.out.println(all + " pools, " + pages + " pages, " + streamed + " streamed, " + code);
    channel.shutdownNow();
  }
}
