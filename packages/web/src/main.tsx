import { StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { LiveConnection } from "./api/live.ts";
import { makeQueryClient } from "./api/query-client.ts";
import { App } from "./app.tsx";
import "./styles/index.css";

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root");

const queries = makeQueryClient();
const live = new LiveConnection({ queries });
live.start();

createRoot(root).render(
  <StrictMode>
    <App queries={queries} live={live} />
  </StrictMode>,
);
