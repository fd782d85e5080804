import { durationToMs, ParseError, parseDuration } from "@berg/apimachinery";

/** What a pod does once there is a place for it; every container of it does the same. */
export interface Behaviour {
  kind: BehaviourKind;
  /** How long it takes until the pod is ready, or would be. */
  afterMs?: number;
  /** How long a container runs before it exits. */
  runMs?: number;
  /** The first back-off; each further one is twice as long, up to five minutes. kubelet's is 10 s. */
  backoffMs?: number;
  exitCode?: number;
  /** In place of the words that kubelet, the runtime or the scheduler would find. */
  message?: string;
}

export type BehaviourKind = keyof typeof parameters;

/** A behaviour, or its text as it stands in the annotation: `crash-loop exitCode=3 backoff=200ms`. */
export type BehaviourChoice = Behaviour | string;

/** On a pod, or in a Deployment's template: chooses the behaviour of that pod. */
export const behaviourAnnotation = "simulator.berg.norelect.ch/behaviour";

type Parameter = "after" | "run" | "backoff" | "exitCode" | "message";

const parameters = {
  /** Running and ready. */
  ready: ["after"],
  /** Running; its readiness probe never succeeds. */
  "never-ready": ["after"],
  /** ErrImagePull and ImagePullBackOff in turns. */
  "image-pull": ["backoff", "message"],
  "invalid-image-name": [],
  "create-container-config-error": ["message"],
  /** Exits with an error; CrashLoopBackOff. */
  "crash-loop": ["run", "backoff", "exitCode"],
  /** The same by the kernel's hand: OOMKilled, 137. */
  oom: ["run", "backoff"],
  /** Exits with 0 unless told. Where the pod's restartPolicy says so, it is started again. */
  exits: ["run", "backoff", "exitCode"],
  /** No node will have it. */
  unschedulable: ["message"],
  /** ContainerCreating for ever. */
  "stuck-creating": [],
  /** The node ran short of memory: Failed, reason Evicted. */
  evicted: ["message"],
} as const satisfies Record<string, readonly Parameter[]>;

export const behaviourKinds = Object.keys(parameters) as BehaviourKind[];

/** `parseBehaviour("ready after=30s")`; a message comes last and goes on to the end of the text. */
export function parseBehaviour(text: string): Behaviour {
  const [, words = "", message] = /^(.*?)(?:\smessage=(.*))?$/s.exec(text) ?? [];
  const [kind = "", ...settings] = words.trim().split(/\s+/);
  if (!isKind(kind)) throw new ParseError("behaviour", text, `there is no "${kind}" (${behaviourKinds.join(", ")})`);

  const known: readonly Parameter[] = parameters[kind];
  const behaviour: Behaviour = { kind };
  if (message !== undefined) settings.push(`message=${message}`);
  for (const setting of settings) {
    const [, name = setting, value = ""] = /^(\w+)=(.*)$/s.exec(setting) ?? [];
    const parameter = known.find((parameter) => parameter === name);
    if (!parameter)
      throw new ParseError(
        "behaviour",
        text,
        `"${name}" is no setting of ${kind} (${known.join(", ") || "it has none"})`,
      );
    read[parameter](behaviour, value, text);
  }
  return behaviour;
}

export function toBehaviour(choice: BehaviourChoice): Behaviour {
  return typeof choice === "string" ? parseBehaviour(choice) : choice;
}

type Reader = (behaviour: Behaviour, value: string, text: string) => void;

const read: Record<Parameter, Reader> = {
  after: duration("after", "afterMs"),
  run: duration("run", "runMs"),
  backoff: duration("backoff", "backoffMs"),
  exitCode(behaviour, value, text) {
    if (!/^\d{1,3}$/.test(value) || Number(value) > 255)
      throw new ParseError("behaviour", text, `"${value}" is not an exit code (0-255)`);
    behaviour.exitCode = Number(value);
  },
  message(behaviour, value) {
    behaviour.message = value;
  },
};

function duration(name: Parameter, field: "afterMs" | "runMs" | "backoffMs"): Reader {
  return (behaviour, value, text) => {
    const ms = durationToMs(parseDuration(value));
    if (ms < 0) throw new ParseError("behaviour", text, `${name} must not be negative`);
    behaviour[field] = ms;
  };
}

function isKind(text: string): text is BehaviourKind {
  return Object.hasOwn(parameters, text);
}
