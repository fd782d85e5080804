/**
 * What a node needs of a container engine: the part of the Docker Engine API that Docker and Podman's service answer
 * alike. Bodies are the engine's own JSON; whoever makes one is elsewhere (`containers/`).
 */
export interface Engine {
  /** Also tells whether it is there. */
  info(signal?: AbortSignal): Promise<EngineInfo>;

  /** Undefined where there is none of this name. */
  inspectImage(name: string, signal?: AbortSignal): Promise<Image | undefined>;
  /** `auth`: the engine's own form, of which nothing is ever logged. Progress is said in the engine's words. */
  pullImage(name: string, options: PullOptions, signal?: AbortSignal): Promise<void>;
  /** Of `docker save`, in any of its layouts. */
  loadImage(archive: AsyncIterable<Uint8Array> | Uint8Array, signal?: AbortSignal): Promise<void>;
  listImages(labels: Labels, signal?: AbortSignal): Promise<ImageSummary[]>;
  /** One that is not there is removed already. One that a container is of is refused. */
  removeImage(name: string, signal?: AbortSignal): Promise<void>;
  /** From a directory with a Dockerfile, as a tar archive. What the engine says meanwhile is said line by line. */
  buildImage(name: string, options: BuildOptions, signal?: AbortSignal): Promise<void>;

  createNetwork(body: NetworkCreate, signal?: AbortSignal): Promise<{ id: string }>;
  inspectNetwork(nameOrId: string, signal?: AbortSignal): Promise<Network | undefined>;
  listNetworks(labels: Labels, signal?: AbortSignal): Promise<Network[]>;
  /** One that is not there is removed already. One with containers on it is refused. */
  removeNetwork(nameOrId: string, signal?: AbortSignal): Promise<void>;
  /** Those on it by its name or id, running or not. */
  listNetworkContainers(nameOrId: string, signal?: AbortSignal): Promise<ContainerSummary[]>;
  /** A container on one more network, started or not. One that is on it already stays as it is. */
  connectNetwork(nameOrId: string, containerId: string, options?: ConnectOptions, signal?: AbortSignal): Promise<void>;
  /** One that is not on it, or not there, is left alone; so is a network that is not there. */
  disconnectNetwork(nameOrId: string, containerId: string, signal?: AbortSignal): Promise<void>;

  /** A name that is taken is an EngineError of status 409. */
  createContainer(name: string, body: ContainerCreate, signal?: AbortSignal): Promise<{ id: string }>;
  startContainer(id: string, signal?: AbortSignal): Promise<void>;
  /** Undefined where there is none. */
  inspectContainer(id: string, signal?: AbortSignal): Promise<Container | undefined>;
  /** How many bytes it wrote beside its volumes; undefined where there is none, or the engine cannot say. */
  containerSize(id: string, signal?: AbortSignal): Promise<number | undefined>;
  /** Running or not. */
  listContainers(labels: Labels, signal?: AbortSignal): Promise<ContainerSummary[]>;
  /** Asks it to end, and kills it after the grace time. One that has ended, or is not there, is left alone. */
  stopContainer(id: string, graceSeconds: number, signal?: AbortSignal): Promise<void>;
  /** One that has ended, or is not there, is left alone. */
  killContainer(id: string, signalName: string, signal?: AbortSignal): Promise<void>;
  /**
   * With its anonymous volumes, running or not, without grace. One that is not there is removed already. Podman refuses
   * one whose network others still share: they go first.
   */
  removeContainer(id: string, signal?: AbortSignal): Promise<void>;

  /**
   * Both streams in the order of their lines; ends with the container where it is followed. Podman's times are in whole
   * seconds, and it ends a last line that was left open.
   */
  containerLogs(id: string, options: EngineLogOptions, signal?: AbortSignal): AsyncIterable<LogChunk>;
  /**
   * A command in a running container, with its streams; 409 where it does not run. A command that is not there, or
   * cannot be run, ends with 127 or 126 and says why on its streams, in the engine's words.
   */
  exec(id: string, options: ExecOptions, signal?: AbortSignal): Promise<ExecSession>;
  /** What happens to containers with these labels, from now on; ends, or throws, when the engine goes. */
  events(labels: Labels, signal: AbortSignal): AsyncIterable<EngineEvent>;
  /**
   * That something happened to networks, from now on: a reason to look again, and no more. Podman only tells when a
   * container is connected or disconnected by name; one that comes or goes with its network is told by `events`.
   */
  networkEvents(signal: AbortSignal): AsyncIterable<NetworkEvent>;
}

export type Labels = Readonly<Record<string, string>>;

export interface EngineInfo {
  name: "docker" | "podman";
  version: string;
  /** Of the machine that runs containers: `x86_64`, `aarch64`. */
  architecture: string;
  /** Whether it runs as an ordinary user: then it cannot isolate everything. */
  rootless: boolean;
  cpus: number;
  memoryBytes: number;
  kernel: string;
  operatingSystem: string;
  /** Where it keeps images and what containers write; undefined where it does not say. */
  storageDirectory?: string | undefined;
}

export interface PullOptions {
  auth?: RegistryAuth;
  onProgress?(text: string): void;
}

export interface BuildOptions {
  /** The archive, or its parts one after the other. */
  context: Uint8Array | readonly Uint8Array[];
  /** Its path in the archive. */
  dockerfile: string;
  onProgress?(line: string): void;
}

export interface RegistryAuth {
  username?: string;
  password?: string;
  serveraddress?: string;
  identitytoken?: string;
}

export interface Image {
  /** `sha256:…` */
  id: string;
  digests: readonly string[];
  sizeBytes: number;
  user: string;
  entrypoint: readonly string[];
  command: readonly string[];
  env: readonly string[];
  workingDir: string;
}

export interface ImageSummary {
  /** With their tags. */
  names: readonly string[];
  labels: Labels;
}

export interface NetworkCreate {
  name: string;
  labels: Labels;
  /** `10.89.3.0/24`; the first address is the host's. The engine's choice where it is left out. */
  subnet?: string;
  /** Podman gives an internal network none unless it is told. */
  gateway?: string;
  /** The name of the bridge on the host. The engine's choice where it is left out. */
  bridge?: string;
  /**
   * Without a way out: containers on it reach each other and the host's address on it. Podman with CNI can do only one of
   * the two, and then has a way out.
   */
  internal?: boolean;
  /** Also with IPv6 addresses, of a range of its own. */
  ipv6?: boolean;
}

export interface Network {
  id: string;
  name: string;
  labels: Labels;
  /** `bridge` */
  driver: string;
  /** The first of `subnets`. */
  subnet: string;
  /** Of that. */
  gateway: string;
  subnets: readonly string[];
  gateways: readonly string[];
  internal: boolean;
  ipv6: boolean;
  bridge: string;
}

export interface ConnectOptions {
  /** An IPv4 address of a subnet that was given when the network was made. */
  address?: string;
}

/** `POST /containers/create`, as far as pods need it. */
export interface ContainerCreate {
  Image: string;
  Hostname?: string;
  User?: string;
  Env?: readonly string[];
  Entrypoint?: readonly string[];
  Cmd?: readonly string[];
  WorkingDir?: string;
  Labels: Labels;
  Tty?: boolean;
  OpenStdin?: boolean;
  StdinOnce?: boolean;
  StopSignal?: string;
  HostConfig: HostConfig;
  NetworkingConfig?: { EndpointsConfig: Readonly<Record<string, { IPAMConfig?: { IPv4Address?: string } }>> };
}

export interface HostConfig {
  /** `<network>` or `container:<id>`. */
  NetworkMode: string;
  IpcMode?: string;
  PidMode?: string;
  /** `/host/path:/in/container:ro` */
  Binds?: readonly string[];
  Tmpfs?: Readonly<Record<string, string>>;
  Memory?: number;
  MemorySwap?: number;
  NanoCpus?: number;
  CpuShares?: number;
  PidsLimit?: number;
  OomScoreAdj?: number;
  CapAdd?: readonly string[];
  CapDrop?: readonly string[];
  /** Groups beside the user's own. */
  GroupAdd?: readonly string[];
  Privileged?: boolean;
  ReadonlyRootfs?: boolean;
  SecurityOpt?: readonly string[];
  Sysctls?: Readonly<Record<string, string>>;
  Runtime?: string;
  LogConfig?: { Type: string; Config: Labels };
  StorageOpt?: Labels;
  Ulimits?: readonly { Name: string; Soft: number; Hard: number }[];
  RestartPolicy?: { Name: "no" };
  /** Gone as soon as it has ended, with its logs. */
  AutoRemove?: boolean;
}

export interface Container {
  id: string;
  name: string;
  imageId: string;
  labels: Labels;
  state: ContainerState;
  /** Of each network that it is in, by the network's name. */
  addresses: Readonly<Record<string, string>>;
  /** Of its first process, as the host numbers it; 0 where it does not run. */
  pid: number;
  /** The directory of all that it changed of its image; undefined where the engine keeps it in another form. */
  writableLayer?: string | undefined;
}

export interface ContainerState {
  status: "created" | "running" | "paused" | "restarting" | "removing" | "exited" | "dead";
  exitCode: number;
  oomKilled: boolean;
  error: string;
  /** RFC 3339, with fractions; undefined where it never did. */
  startedAt: string | undefined;
  finishedAt: string | undefined;
}

export interface ContainerSummary {
  id: string;
  name: string;
  labels: Labels;
  status: ContainerState["status"];
}

export interface EngineLogOptions {
  follow: boolean;
  timestamps: boolean;
  tail?: number;
  /** Seconds since 1970. */
  since?: number;
}

export interface LogChunk {
  stream: "stdout" | "stderr";
  bytes: Uint8Array;
}

export interface ExecOptions {
  command: readonly string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

export interface ExecSession {
  /** What the command says; ends with it. */
  readonly output: AsyncIterable<LogChunk>;
  write(bytes: Uint8Array): Promise<void>;
  /** The command reads the end of its input. */
  endInput(): void;
  resize(columns: number, rows: number): Promise<void>;
  /** After its output has ended. */
  exitCode(): Promise<number>;
  /** Lets go of it. The command may go on. */
  close(): void;
}

export interface EngineEvent {
  containerId: string;
  /** `create`, `start`, `die`, `oom`, `destroy`, … */
  action: string;
  labels: Labels;
  /** That it has ended for want of memory, where the engine tells so with its end, and not by `oom` before. */
  isOutOfMemory?: boolean;
}

export interface NetworkEvent {
  /** `create`, `connect`, `disconnect`, `destroy`, … */
  action: string;
  /** Empty where the engine does not say which: Podman. */
  networkId: string;
  /** Of the container that came or went; empty where it was none. */
  containerId: string;
}

/** What the engine refused, or why it cannot be reached. */
export class EngineError extends Error {
  /** 0 where there was no answer at all. */
  readonly status: number;
  constructor(message: string, status: number, cause?: unknown) {
    super(message, { cause });
    this.name = "EngineError";
    this.status = status;
  }
}
