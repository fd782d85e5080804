import { expect, test } from "vitest";
import { choosePublicUrl } from "./public-url.ts";

test.each([
  [undefined, "localhost", "http://berg.localhost:8080"],
  ["http://127.0.0.1:8080", "localhost", "http://127.0.0.1:8080"],
  ["https://ctf.example.com", "challenges.example.com", "https://ctf.example.com"],
  ["https://example.com", "challenges.example.com", "https://example.com"],
])("the public URL %s beside challenges at %s is %s", (given, domain, url) => {
  expect(choosePublicUrl(given, 8080, domain)).toBe(url);
});

test.each([
  ["http://localhost:8080", "localhost"],
  ["https://ctf.example.com", "ctf.example.com"],
  ["https://www.ctf.example.com", "ctf.example.com"],
])("the public URL %s is refused beside challenges at %s", (given, domain) => {
  expect(() => choosePublicUrl(given, 8080, domain)).toThrow(
    /^cannot use --public-url .* sessions\. Choose another name/,
  );
});
