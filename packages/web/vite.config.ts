import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "/",
  plugins: [react()],
  // wouter brings a copy of a hook that React has had since version 18.
  resolve: { alias: { "use-sync-external-store/shim/index.js": "react" } },
  build: {
    // The server's Content-Security-Policy allows files of its own only: nothing is inlined as a data: URL, and the
    // polyfill for modulepreload is not needed by any browser that runs the rest.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    // build-pages.ts compresses each file once and reports the sizes.
    reportCompressedSize: false,
  },
});
