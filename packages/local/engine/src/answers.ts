/**
 * The engines' JSON, as far as it is read, and what it means. Podman answers like Docker but for small things, which
 * are put right here. Pure.
 */
import type { Container, ContainerState, ContainerSummary, EngineInfo, Image, Labels } from "./engine.ts";

export interface InfoAnswer {
  ServerVersion?: string;
  Architecture?: string;
  NCPU?: number;
  MemTotal?: number;
  KernelVersion?: string;
  OperatingSystem?: string;
  OSVersion?: string;
  SecurityOptions?: readonly string[] | null;
  DockerRootDir?: string;
  /** Podman's. */
  Rootless?: boolean;
}

// Podman says it as Go does, Docker as the kernel does.
const architectures: Readonly<Record<string, string>> = { amd64: "x86_64", arm64: "aarch64" };

export function infoOf(answer: InfoAnswer, name: EngineInfo["name"]): EngineInfo {
  const architecture = answer.Architecture ?? "";
  return {
    name,
    version: answer.ServerVersion ?? "",
    architecture: architectures[architecture] ?? architecture,
    rootless: answer.Rootless ?? answer.SecurityOptions?.includes("name=rootless") ?? false,
    cpus: answer.NCPU ?? 0,
    memoryBytes: answer.MemTotal ?? 0,
    kernel: answer.KernelVersion ?? "",
    operatingSystem: answer.OperatingSystem ?? "",
    storageDirectory: answer.DockerRootDir || undefined,
  };
}

export interface ImageAnswer {
  Id: string;
  RepoDigests?: readonly string[] | null;
  Size?: number;
  Config?: {
    User?: string;
    Entrypoint?: readonly string[] | null;
    Cmd?: readonly string[] | null;
    Env?: readonly string[] | null;
    WorkingDir?: string;
  } | null;
}

export function imageOf(answer: ImageAnswer): Image {
  const { Config: config } = answer;
  return {
    id: withAlgorithm(answer.Id),
    digests: answer.RepoDigests ?? [],
    sizeBytes: answer.Size ?? 0,
    user: config?.User ?? "",
    entrypoint: config?.Entrypoint ?? [],
    command: config?.Cmd ?? [],
    env: config?.Env ?? [],
    workingDir: config?.WorkingDir ?? "",
  };
}

export interface ContainerAnswer {
  Id: string;
  Name: string;
  Image: string;
  Config?: { Labels?: Labels | null; Tty?: boolean };
  State?: {
    Status?: string;
    ExitCode?: number;
    OOMKilled?: boolean;
    Error?: string;
    StartedAt?: string;
    FinishedAt?: string;
    Pid?: number;
  };
  GraphDriver?: { Data?: { UpperDir?: string } | null };
  NetworkSettings?: { Networks?: Readonly<Record<string, { IPAddress?: string } | null>> | null };
}

export function containerOf(answer: ContainerAnswer): Container {
  const { State: state = {} } = answer;
  const networks = Object.entries(answer.NetworkSettings?.Networks ?? {});
  return {
    id: answer.Id,
    name: bareName(answer.Name),
    imageId: withAlgorithm(answer.Image),
    labels: answer.Config?.Labels ?? {},
    state: {
      status: statusOf(state.Status),
      exitCode: state.ExitCode ?? 0,
      oomKilled: state.OOMKilled ?? false,
      error: state.Error ?? "",
      startedAt: timeOf(state.StartedAt),
      finishedAt: timeOf(state.FinishedAt),
    },
    addresses: Object.fromEntries(
      networks.flatMap(([name, network]) => (network?.IPAddress ? [[name, network.IPAddress]] : [])),
    ),
    pid: state.Pid ?? 0,
    writableLayer: answer.GraphDriver?.Data?.UpperDir || undefined,
  };
}

export interface SummaryAnswer {
  Id: string;
  Names?: readonly string[] | null;
  Labels?: Labels | null;
  State?: string;
}

export function summaryOf(answer: SummaryAnswer): ContainerSummary {
  return {
    id: answer.Id,
    name: bareName(answer.Names?.[0] ?? ""),
    labels: answer.Labels ?? {},
    status: statusOf(answer.State),
  };
}

// Podman's own words, beside Docker's.
const statuses: Readonly<Record<string, ContainerState["status"]>> = {
  configured: "created",
  initialized: "created",
  stopping: "running",
  stopped: "exited",
  unknown: "dead",
};
const known: readonly string[] = ["created", "running", "paused", "restarting", "removing", "exited", "dead"];

export function statusOf(text = ""): ContainerState["status"] {
  return known.includes(text) ? (text as ContainerState["status"]) : (statuses[text] ?? "dead");
}

/** Go's zero time means never. */
function timeOf(text: string | undefined): string | undefined {
  return !text || text.startsWith("0001-01-01") ? undefined : text;
}

function withAlgorithm(id: string): string {
  return id === "" || id.includes(":") ? id : `sha256:${id}`;
}

/** Docker puts a slash before it. */
function bareName(name: string): string {
  return name.replace(/^\//, "");
}
