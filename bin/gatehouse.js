#!/usr/bin/env node
// Plain JavaScript that every Node can load: an old one gets a sentence instead of a syntax error.
import { existsSync } from 'node:fs';

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  process.stderr.write(
    `Gatehouse needs Node.js 22.19 or newer, this is ${process.versions.node}. Install Node.js 24, or use "npx gatehouse" or "npm run" in a checkout, which brings its own.\n`,
  );
  process.exit(1);
}

const source = new URL('../src/main.ts', import.meta.url);
const entry = existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);
await import(entry.href);
