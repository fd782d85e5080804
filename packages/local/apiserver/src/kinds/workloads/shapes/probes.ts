/** How a container is asked whether it is well, and what runs when it starts and ends. */
import { always, choice, int32, int64, intOrString, kept, list, object, text } from "../../shapes.ts";

const execAction = object({
  command: list(text()),
});

const grpcAction = object(
  {
    port: always(int32()),
    service: kept(text()),
  },
  ["port"],
);

const httpHeader = object(
  {
    name: always(text()),
    value: always(text()),
  },
  ["name", "value"],
);

const httpGetAction = object(
  {
    host: text(),
    httpHeaders: list(httpHeader),
    path: text(),
    port: always(intOrString()),
    scheme: choice("HTTP", "HTTPS"),
  },
  ["port"],
);

const tcpSocketAction = object(
  {
    host: text(),
    port: always(intOrString()),
  },
  ["port"],
);

const sleepAction = object(
  {
    seconds: always(int64()),
  },
  ["seconds"],
);

const lifecycleHandler = object({
  exec: execAction,
  httpGet: httpGetAction,
  sleep: sleepAction,
  tcpSocket: tcpSocketAction,
});

export const lifecycle = object({
  postStart: lifecycleHandler,
  preStop: lifecycleHandler,
  stopSignal: kept(
    choice(
      "SIGABRT",
      "SIGALRM",
      "SIGBUS",
      "SIGCHLD",
      "SIGCLD",
      "SIGCONT",
      "SIGFPE",
      "SIGHUP",
      "SIGILL",
      "SIGINT",
      "SIGIO",
      "SIGIOT",
      "SIGKILL",
      "SIGPIPE",
      "SIGPOLL",
      "SIGPROF",
      "SIGPWR",
      "SIGQUIT",
      "SIGRTMAX",
      "SIGRTMAX-1",
      "SIGRTMAX-10",
      "SIGRTMAX-11",
      "SIGRTMAX-12",
      "SIGRTMAX-13",
      "SIGRTMAX-14",
      "SIGRTMAX-2",
      "SIGRTMAX-3",
      "SIGRTMAX-4",
      "SIGRTMAX-5",
      "SIGRTMAX-6",
      "SIGRTMAX-7",
      "SIGRTMAX-8",
      "SIGRTMAX-9",
      "SIGRTMIN",
      "SIGRTMIN+1",
      "SIGRTMIN+10",
      "SIGRTMIN+11",
      "SIGRTMIN+12",
      "SIGRTMIN+13",
      "SIGRTMIN+14",
      "SIGRTMIN+15",
      "SIGRTMIN+2",
      "SIGRTMIN+3",
      "SIGRTMIN+4",
      "SIGRTMIN+5",
      "SIGRTMIN+6",
      "SIGRTMIN+7",
      "SIGRTMIN+8",
      "SIGRTMIN+9",
      "SIGSEGV",
      "SIGSTKFLT",
      "SIGSTOP",
      "SIGSYS",
      "SIGTERM",
      "SIGTRAP",
      "SIGTSTP",
      "SIGTTIN",
      "SIGTTOU",
      "SIGURG",
      "SIGUSR1",
      "SIGUSR2",
      "SIGVTALRM",
      "SIGWINCH",
      "SIGXCPU",
      "SIGXFSZ",
    ),
  ),
});

export const probe = object({
  exec: execAction,
  failureThreshold: int32(),
  grpc: grpcAction,
  httpGet: httpGetAction,
  initialDelaySeconds: int32(),
  periodSeconds: int32(),
  successThreshold: int32(),
  tcpSocket: tcpSocketAction,
  terminationGracePeriodSeconds: kept(int64()),
  timeoutSeconds: int32(),
});
