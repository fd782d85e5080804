import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fromBinary, toJson } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema, FileDescriptorSetSchema } from "@bufbuild/protobuf/wkt";
import { expect, test } from "vitest";
import { file_tunnel } from "./tunnel_pb.ts";

/** Real because it needs protoc (Debian's protobuf-compiler). */
test("tunnel_pb.ts says what tunnel.proto says", () => {
  const directory = mkdtempSync(join(tmpdir(), "berg-proto-"));
  const out = join(directory, "tunnel.binpb");
  const folder = dirname(fileURLToPath(import.meta.url));
  execFileSync("protoc", [`--proto_path=${folder}`, `--descriptor_set_out=${out}`, "tunnel.proto"]);
  const { file } = fromBinary(FileDescriptorSetSchema, readFileSync(out));
  rmSync(directory, { recursive: true });
  const described = file.map((each) => withoutJsonNames(toJson(FileDescriptorProtoSchema, each)));
  expect(described).toEqual([withoutJsonNames(toJson(FileDescriptorProtoSchema, file_tunnel.proto))]);
});

/** protoc writes them out, where they follow from the names. */
function withoutJsonNames(json: unknown): unknown {
  return JSON.parse(JSON.stringify(json, (key, value) => (key === "jsonName" ? undefined : value)));
}
