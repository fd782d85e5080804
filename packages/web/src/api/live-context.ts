import { createContext, useContext } from "react";
import type { LiveConnection } from "./live.ts";

export const LiveContext = createContext<LiveConnection | undefined>(undefined);

export function useLive(): LiveConnection {
  const live = useContext(LiveContext);
  if (!live) throw new Error("useLive needs a LiveContext above it");
  return live;
}
