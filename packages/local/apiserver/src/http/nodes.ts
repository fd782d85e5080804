/** What only the node knows on which a pod runs. Where nobody offers it, it is refused. */
import type { AnyStoredObject } from "../registry/resource.ts";

export interface LogOptions {
  container: string;
  follow: boolean;
  previous: boolean;
  timestamps: boolean;
  tailLines?: number;
  limitBytes?: number;
  sinceSeconds?: number;
  /** RFC 3339. */
  sinceTime?: string;
}

export interface ExecOptions {
  container: string;
  command: readonly string[];
  stdin: boolean;
  stdout: boolean;
  stderr: boolean;
  tty: boolean;
}

/** A command that runs in a container. */
export interface ExecSession {
  /** What it says; ends with it. */
  readonly output: AsyncIterable<{ stream: "stdout" | "stderr"; bytes: Uint8Array }>;
  write(bytes: Uint8Array): Promise<void>;
  /** It reads the end of its input. */
  endInput(): void;
  resize(columns: number, rows: number): Promise<void>;
  /** After its output has ended. */
  exitCode(): Promise<number>;
  /** Lets go of it. */
  close(): void;
}

export interface Nodes {
  /** Throws a refusal where the container has no log yet. Ends when the signal is aborted. */
  podLogs(pod: AnyStoredObject, options: LogOptions, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>>;
  /** Throws a refusal where the container does not run. */
  exec(pod: AnyStoredObject, options: ExecOptions, signal: AbortSignal): Promise<ExecSession>;
}
