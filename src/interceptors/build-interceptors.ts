/** Builds the interceptor services of an installation. The code that calls endpoints is loaded when the first flow needs it. */
import type { Clock } from '../core/clock.ts';
import { loadOnce } from '../core/load-once.ts';
import type { Log } from '../core/log.ts';
import type { PageTokens } from '../core/page-token.ts';
import type { SignedSender } from '../signed-sender/signed-sender.ts';
import type { Database } from '../store/engine/database.ts';
import type { InterceptorLog } from './interceptor-log.ts';
import type { InterceptorTest } from './interceptor-test.ts';
import { Interceptors } from './interceptors.ts';
import type { Policy } from './policy.ts';

/** The interceptor services of an installation. */
export interface InterceptorServices {
  interceptors: Interceptors;
  interceptorTest: Pick<InterceptorTest, 'run'>;
  interceptorLog: Pick<InterceptorLog, 'list' | 'listAll' | 'decisions'>;
  /** Called by flows before they continue. */
  policy: Policy;
  /** For shutdown: after the signal no flow waits for an answer; flows that wait are refused. */
  endInterceptorsBy: (signal: AbortSignal) => void;
}

/** Builds them; the code that calls endpoints is loaded by the first flow, test or list that needs it. */
export function buildInterceptors(base: {
  db: Database;
  clock: Clock;
  log: Log;
  sender: SignedSender;
  pageTokens: PageTokens;
  isReachable: (url: URL) => boolean;
}): InterceptorServices {
  const { db, clock, log, sender, pageTokens, isReachable } = base;
  const ending = new AbortController();
  const { signal: stopping } = ending;
  const policy = loadOnce(async () => {
    const { InterceptorPolicy } = await import('./interceptor-policy.ts');
    return new InterceptorPolicy({ db, clock, log, sender, stopping });
  });
  const test = loadOnce(async () => {
    const [{ InterceptorTest }, { InterceptorCall }] = await Promise.all([
      import('./interceptor-test.ts'),
      import('./interceptor-call.ts'),
    ]);
    return new InterceptorTest({ db, call: new InterceptorCall({ sender, clock, stopping }) });
  });
  const logs = loadOnce(async () => {
    const { InterceptorLog } = await import('./interceptor-log.ts');
    return new InterceptorLog({ db, pageTokens });
  });
  return {
    endInterceptorsBy: (signal) => signal.addEventListener('abort', () => ending.abort(), { once: true }),
    interceptors: new Interceptors({ db, clock, pageTokens, isReachable }),
    interceptorTest: { run: async (environmentId, id) => (await test()).run(environmentId, id) },
    interceptorLog: {
      list: async (environmentId, id, query) => (await logs()).list(environmentId, id, query),
      listAll: async (environmentId, id, query) => (await logs()).listAll(environmentId, id, query),
      decisions: async (environmentId, id, since) => (await logs()).decisions(environmentId, id, since),
    },
    policy: {
      beforeSignup: async (question) => (await policy()).beforeSignup(question),
      beforeSession: async (question) => (await policy()).beforeSession(question),
      beforeInvitation: async (question) => (await policy()).beforeInvitation(question),
      beforeMachineToken: async (question) => (await policy()).beforeMachineToken(question),
    },
  };
}
