/**
 * Requests one list of REST in a loop until its input ends, and prints the number of requests. It is a process of
 * its own, run by bench/side-work.ts, because a client that reads 200 lists a second would itself delay the calls
 * that it measures.
 */
import { Agent, request } from 'undici';

const { LIST_URL = '', LIST_TOKEN = '' } = process.env;
const dispatcher = new Agent({ connections: 1 });
process.stdin.resume();
let done = 0;
for (; !process.stdin.readableEnded; done++) {
  const { statusCode, body } = await request(LIST_URL, {
    dispatcher,
    headers: { authorization: `Bearer ${LIST_TOKEN}` },
  });
  if (statusCode !== 200) throw new Error(`${LIST_URL}: ${statusCode} ${await body.text()}`);
  await body.dump({ limit: Number.MAX_SAFE_INTEGER });
}
console.log(done);
await dispatcher.close();
