// Creates an account and three pools, sends each request for a pool twice, and then lists, pages and exports the pools.
#include <grpcpp/grpcpp.h>

#include <cstdlib>
#include <iostream>
#include <string>

#include "calltracking/v1/account.grpc.pb.h"
#include "calltracking/v1/phone_number.grpc.pb.h"
#include "calltracking/v1/pool.grpc.pb.h"

namespace ct = calltracking::v1;

static void Check(const grpc::Status& status) {
  if (status.ok()) return;
  std::cerr << status.error_message() << std::endl;
  std::exit(1);
}

template <typename Stub, typename Request, typename Response>
static grpc::Status Call(Stub& stub,
                         grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Response*),
                         const Request& request, Response* response) {
  grpc::ClientContext context;
  return (stub.*method)(&context, request, response);
}

int main(int, char** arguments) {
  const std::string token = arguments[2], number = arguments[3];
  const auto channel = grpc::CreateChannel(arguments[1], grpc::InsecureChannelCredentials());
  const auto accounts = ct::AccountService::NewStub(channel);
  const auto numbers = ct::PhoneNumberService::NewStub(channel);
  const auto pools = ct::PoolService::NewStub(channel);
  using Accounts = ct::AccountService::Stub;
  using Numbers = ct::PhoneNumberService::Stub;
  using Pools = ct::PoolService::Stub;

  ct::CreateAccountRequest new_account;
  new_account.set_account_token(token);
  ct::Account account;
  Check(Call(*accounts, &Accounts::CreateAccount, new_account, &account));
  ct::CreatePhoneNumberRequest new_number;
  new_number.set_account_id(token);
  new_number.set_phone_number(number);
  ct::PhoneNumber registered;
  Check(Call(*numbers, &Numbers::CreatePhoneNumber, new_number, &registered));
  for (int size = 1; size <= 3; size++) {
    ct::CreatePoolRequest request;
    request.set_account_id(token);
    request.set_original_number(number);
    request.set_area_code("222");
    request.set_is_dni(true);
    request.set_is_prompted(false);
    request.set_is_recorded(false);
    request.set_pool_type(ct::POOL_TYPE_MANUAL);
    request.set_size(size);
    request.set_request_id(token + "-" + std::to_string(size));
    ct::Pool created, again;
    Check(Call(*pools, &Pools::CreatePool, request, &created));
    Check(Call(*pools, &Pools::CreatePool, request, &again));
    if (created.SerializeAsString() != again.SerializeAsString()) return 1;
  }

  ct::ListPoolsRequest list;
  list.set_account_id(token);
  ct::ListPoolsResponse all;
  Check(Call(*pools, &Pools::ListPools, list, &all));
  int pages = 0;
  list.set_page_size(2);
  do {
    ct::ListPoolsResponse page;
    Check(Call(*pools, &Pools::ListPools, list, &page));
    list.set_page_token(page.next_page_token());
    pages++;
  } while (!list.page_token().empty());
  ct::ExportPoolsRequest exported;
  exported.set_account_id(token);
  grpc::ClientContext context;
  const auto stream = pools->ExportPools(&context, exported);
  int streamed = 0;
  for (ct::Pool pool; stream->Read(&pool);) streamed += pool.size();
  Check(stream->Finish());
  const auto refused = Call(*accounts, &Accounts::CreateAccount, new_account, &account);
  const char* code = refused.error_code() == grpc::StatusCode::ALREADY_EXISTS ? "ALREADY_EXISTS" : "other";
  std::cout << all.pools_size() << " pools, " << pages << " pages, " << streamed << " streamed, " << code << std::endl;
}
