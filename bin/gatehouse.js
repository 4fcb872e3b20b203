#!/usr/bin/env node
// Plain JavaScript that every Node can load: an old one gets a sentence instead of a syntax error.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

// Node opens its inspector at this signal, and an inspector reads every key in memory. It opens with --inspect only.
process.on('SIGUSR1', () => {});

const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 19)) {
  // The command of a checkout, which takes the Node that came along.
  const command = fileURLToPath(new URL('../gatehouse', import.meta.url));
  const advice = existsSync(command)
    ? `The checkout brings its own: ${inShell(command)} …`
    : 'Install Node.js 24, or run "npm ci" in a checkout, which brings it along.';
  process.stderr.write(
    `Gatehouse needs Node.js 22.19 or newer, this is ${process.versions.node}. ${advice}\n`,
  );
  process.exit(1);
}

const source = new URL('../src/main.ts', import.meta.url);
const entry = existsSync(source) ? source : new URL('../dist/main.js', import.meta.url);
await import(entry.href);

function inShell(path) {
  return /^[\w@%+=:,./-]+$/.test(path) ? path : `'${path.replace(/'/g, "'\\''")}'`;
}
