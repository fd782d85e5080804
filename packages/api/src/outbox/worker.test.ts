import { describeOutbox } from "../testing/outbox-suite.ts";

describeOutbox("the outbox on SQLite", async () => ":memory:");
