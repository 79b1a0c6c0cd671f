/* random_wait.h: completing what is under way, in random order and by all the calls that there are for it. */
#ifndef RANDOM_WAIT_H
#define RANDOM_WAIT_H

#include "random_calls.h"

/* Some of the requests that are under way. */
struct pending {
  int count;
  struct call *calls[CALLS];
  HCOMM_Request requests[CALLS];
  HCOMM_Status statuses[CALLS];
};

/* choose_pending takes those of one communicator, or of all (-1); one of so many. */
static void choose_pending(struct pending *p, int comm, int of) {
  p->count = 0;
  for (int i = 0; i < CALLS; i++) {
    struct call *k = &calls[i];
    if (k->state != UNDER_WAY || k->request == HCOMM_REQUEST_NULL || (comm >= 0 && k->comm != comm) || mine(of)) continue;
    int at = mine(p->count + 1); /* in random order */
    p->calls[p->count] = p->calls[at], p->requests[p->count] = p->requests[at];
    p->calls[at] = k, p->requests[at] = k->request;
    p->count++;
  }
}

/* request_done ends a call whose request is complete. */
static void request_done(struct pending *p, int at, int code, const HCOMM_Status *status) {
  struct call *k = p->calls[at];
  k->request = p->requests[at];
  k->status = *status;
  if ((k->request != HCOMM_REQUEST_NULL) != (k->way == PERSISTENT)) FAIL("%s: the request is %p", call_text(k), (void *)k->request);
  if (k->way == PERSISTENT) OK(HCOMM_Request_free(&k->request));
  if (code == 0) {
    call_done(k);
  } else {
    if (!is_doomed(k->comm) || code != HCOMM_ERR_PROC_ABORTED) FAIL("%s: error %d: %s", call_text(k), code, hcommGetLastError(NULL));
    call_end(k);
  }
  p->count--;
  memmove(&p->calls[at], &p->calls[at + 1], (size_t)(p->count - at) * sizeof *p->calls);
  memmove(&p->requests[at], &p->requests[at + 1], (size_t)(p->count - at) * sizeof *p->requests);
}

/* some_failed is for a code of a call for many requests. */
static int some_failed(int code) {
  if (code == HCOMM_SUCCESS) return 0;
  if (code != HCOMM_ERR_IN_STATUS) FAIL("error %d: %s", code, hcommGetLastError(NULL));
  some_doomed(hcommRemoteError);
  return 1;
}

/* all_done goes through the statuses of all requests. */
static void all_done(struct pending *p, int failed) {
  for (int i = 0, at = 0, n = p->count; i < n; i++) {
    int code = failed ? p->statuses[i].HCOMM_ERROR : HCOMM_SUCCESS;
    if (code == HCOMM_ERR_PENDING) at++;
    else request_done(p, at, code, &p->statuses[i]);
  }
}

static void wait_all(struct pending *p, int test) {
  while (p->count) {
    int flag = !test, code = HCOMM_SUCCESS;
    if (test)
      while (!flag && !code) code = HCOMM_Testall(p->count, p->requests, &flag, p->statuses);
    else code = HCOMM_Waitall(p->count, p->requests, p->statuses);
    all_done(p, some_failed(code));
  }
}

static void wait_any(struct pending *p, int test) {
  int at = -1, flag = !test, code = HCOMM_SUCCESS;
  HCOMM_Status s;
  if (test)
    while (!flag && !code) code = HCOMM_Testany(p->count, p->requests, &at, &flag, &s);
  else code = HCOMM_Waitany(p->count, p->requests, &at, &s);
  CHECK(at >= 0 && at < p->count);
  request_done(p, at, code, &s);
}

static void wait_some(struct pending *p, int test) {
  int n = 0, at[CALLS], code = HCOMM_SUCCESS;
  if (test)
    while (!n && !code) code = HCOMM_Testsome(p->count, p->requests, &n, at, p->statuses);
  else code = HCOMM_Waitsome(p->count, p->requests, &n, at, p->statuses);
  int failed = some_failed(code);
  CHECK(n > 0 && n <= p->count);
  for (int i = 0; i < n; i++)
    request_done(p, at[i] - i, failed ? p->statuses[i].HCOMM_ERROR : HCOMM_SUCCESS, &p->statuses[i]);
}

static void wait_one(struct pending *p, int how) {
  int flag = 0, code = HCOMM_SUCCESS;
  HCOMM_Status s;
  if (how == 2) /* HCOMM_Request_get_status leaves it as it is */
    while (!flag) OK(HCOMM_Request_get_status(p->requests[0], &flag, &s));
  flag = how != 1;
  if (how == 1)
    while (!flag && !code) code = HCOMM_Test(&p->requests[0], &flag, &s);
  else code = HCOMM_Wait(&p->requests[0], &s);
  request_done(p, 0, code, &s);
}

static void wait_requests(struct pending *p) {
  if (p->count == 0) return;
  int how = mine(9);
  STEP("seed %llu, action %d: %d requests are completed in way %d, the first: %s", (unsigned long long)seed, action, p->count,
       how, call_text(p->calls[0]));
  switch (how) {
  case 0: case 1: wait_all(p, how); break;
  case 2: case 3: wait_any(p, how - 2); break;
  case 4: case 5: wait_some(p, how - 4); break;
  default: wait_one(p, how - 6);
  }
}

static void query_stream(int stream) {
  hcommResult_t r;
  STEP("seed %llu, action %d: hcommStreamQuery of stream %d", (unsigned long long)seed, action, stream);
  while ((r = hcommStreamQuery(streams[stream])) == hcommInProgress) continue;
  if (r == hcommSuccess) {
    stream_done(stream, 0);
    return;
  }
  some_doomed(r);
  if (!stream_sync(stream)) FAIL("stream %d has lost its error", stream);
}

/* renew_stream destroys a stream and makes another. */
static void renew_stream(int stream) {
  STEP("seed %llu, action %d: hcommStreamDestroy of stream %d", (unsigned long long)seed, action, stream);
  hcommResult_t r = hcommStreamDestroy(streams[stream]);
  if (r != hcommSuccess) some_doomed(r);
  stream_done(stream, r != hcommSuccess);
  OK(hcommStreamCreate(&streams[stream]));
}

/* finish completes all requests of a communicator, or all (-1). */
static void finish_requests(int comm) {
  struct pending p;
  group_flush();
  for (choose_pending(&p, comm, 1); p.count; choose_pending(&p, comm, 1)) wait_requests(&p);
}

/* finish_all completes everything that this rank has begun. */
static void finish_all(void) {
  finish_requests(-1);
  for (int s = 0; s < STREAMS; s++) stream_sync(s);
}

/* maybe_wait completes something, or nothing. What it waits for needs only what others have begun before this. */
static void maybe_wait(void) {
  struct pending p;
  int s = mine(STREAMS);
  if (calls_left() < 40) finish_all();
  if (mine(3)) return;
  group_flush();
  switch (mine(6)) {
  case 0: stream_sync(s); break;
  case 1: query_stream(s); break;
  case 2: OK(hcommStreamWait(streams[s], streams[mine(STREAMS)])); break;
  case 3:
    if (mine(4) == 0) renew_stream(s);
    break;
  default:
    choose_pending(&p, -1, 2);
    wait_requests(&p);
  }
}

#endif
