import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { makeProject, run } from '../mcp/real-processes.ts';

/** The packages are no dependencies; somebody who has installed them sees no refusal. */
const isInstalled = existsSync('node_modules/@opentelemetry/sdk-trace');

it.skipIf(isInstalled)(
  'export of traces refuses the start without its packages, and names them',
  async () => {
    const project = await makeProject();
    onTestFinished(() => project.close());
    project.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = 'http://127.0.0.1:4318';
    const { code, stderr } = await run(project, ['serve']);
    expect(code).toBe(1);
    expect(stderr).toContain(
      'npm install @opentelemetry/sdk-trace @opentelemetry/exporter-trace-otlp-proto @opentelemetry/resources',
    );
  },
);
