-- Sends the requests in a file, one after another in a cycle. Each line has a method, path and body, separated by tabs. Prints the result as JSON.
local requests, turn = {}, 0

function init(args)
  for line in io.lines(args[1]) do
    local method, path, body = line:match("^(.-)\t(.-)\t(.*)$")
    local headers = { Accept = "application/json" }
    if body == "" then
      body = nil
    else
      headers["Content-Type"] = "application/json"
    end
    requests[#requests + 1] = wrk.format(method, path, headers, body)
  end
end

function request()
  turn = turn % #requests + 1
  return requests[turn]
end

function done(summary, latency)
  local errors = summary.errors
  print(string.format(
    '\n{"requests":%d,"seconds":%f,"p50":%f,"p99":%f,"cpuSeconds":%f,"rejected":%d,"failed":%d}',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3, latency:percentile(99) / 1e3, os.clock(),
    errors.status, errors.connect + errors.read + errors.write + errors.timeout
  ))
end
