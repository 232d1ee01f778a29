import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// The page is built into the package, which serves it. While it is worked on, `npm run dev` asks a server on port 8000.
export default defineConfig({
  plugins: [svelte()],
  build: {
    outDir: "../src/feltlab/web/built",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: "es2022",
  },
  server: { proxy: { "/api": "http://127.0.0.1:8000" } },
  test: {
    include: ["src/**/*.test.ts"],
    environment: "node",
    // Components, and what talks to the service, are tested in a browser, where this does not look.
    coverage: {
      include: ["src/**/*.ts"],
      exclude: ["src/**/*.svelte.ts", "src/api/**", "src/main.ts"],
      reporter: "text-summary",
      thresholds: { lines: 80, branches: 70 },
    },
  },
});
