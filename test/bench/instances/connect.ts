/** How a process of the bench reaches the API server; plain JSON, since it is handed over when the process starts. */
export interface Server {
  server: string;
  ca: string;
  token: string;
}
