/** How a container is asked whether it is well, and what runs when it starts and ends. */
import { always, choice, int32, int64, intOrString, kept, list, object, text } from "../../shapes.ts";
import { signal } from "./signals.ts";

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
  stopSignal: kept(signal),
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
