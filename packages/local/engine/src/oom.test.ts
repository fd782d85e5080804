import { expect, test } from "vitest";
import { isOomKill } from "./oom.ts";

const id = "c7d84633909b86421b4538685017e08fe0a17d1cf3ca2bd2883303201b452713";
const kill = (memcg: string) =>
  `6,1201,36846419420,-;oom-kill:constraint=CONSTRAINT_MEMCG,nodemask=(null),cpuset=libpod-${id},mems_allowed=0,oom_memcg=/x,task_memcg=${memcg},task=tail,pid=15481,uid=0`;

test.each([
  ["of this container", kill(`/libpod_parent/libpod-${id}`), true],
  ["of this container under systemd", kill(`/machine.slice/libpod-${id}.scope`), true],
  ["of another container", kill("/libpod_parent/libpod-0123"), false],
  ["that is none", `6,1,2,-;something about ${id},task_memcg=/libpod-${id},`, false],
  ["that is empty", "", false],
])("a record %s", (_, record, want) => {
  expect(isOomKill(record, id)).toBe(want);
});
