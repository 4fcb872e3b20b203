/** The provider of the benchmark: answers every request with the same 1 kB of JSON. Prints its URL. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const answer = JSON.stringify({
  results: Array.from({ length: 8 }, (_, i) => ({
    id: i,
    title: `Result ${i}`,
    url: `https://pages.example/${i}`,
    text: 'x'.repeat(60),
  })),
});

const server = createServer((_request, response) => {
  response.writeHead(200, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(answer),
  });
  response.end(answer);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${(server.address() as AddressInfo).port}\n`);
});
