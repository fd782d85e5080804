import { expect, test } from "vitest";
import { ResponseReader } from "./response-reader.ts";

const response = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello";

test("a response is complete with its last byte, however it is cut", () => {
  for (let cut = 1; cut < response.length; cut++) {
    const reader = new ResponseReader();
    expect(reader.add(Buffer.from(response.slice(0, cut)))).toBeUndefined();
    expect(reader.add(Buffer.from(response.slice(cut)))).toEqual({ status: 200, body: Buffer.from("hello") });
  }
});

test("one reader reads one response after the other", () => {
  const reader = new ResponseReader();
  reader.add(Buffer.from(response));
  expect(reader.add(Buffer.from("HTTP/1.1 204 No Content\r\n\r\n"))).toEqual({ status: 204, body: Buffer.alloc(0) });
  expect(reader.add(Buffer.from(response))?.status).toBe(200);
});

test("a response whose length is not known is refused", () => {
  const reader = new ResponseReader();
  expect(() => reader.add(Buffer.from("HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"))).toThrow(
    "without a content-length",
  );
});
