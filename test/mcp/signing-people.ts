/** People of a running program, with browsers: they sign in with the code that its log shows, and are asked for consent. */
import { ScriptedBrowser, type Visited } from '../authorization-server/scripted-browser.ts';
import { run, type Project, type Served } from './real-processes.ts';

/** Where a consent page asks, and who is asked. */
export interface AskedForConsent {
  browser: ScriptedBrowser;
  page: Visited;
}

export class SigningPeople {
  readonly #project: Project;
  readonly #served: Served;
  #log = '';

  constructor(project: Project, served: Served) {
    this.#project = project;
    this.#served = served;
    served.child.stderr?.on('data', (chunk: Buffer) => (this.#log += chunk.toString()));
  }

  /** Makes a user. @returns the id */
  async user(name: string): Promise<string> {
    const made = await run(this.#project, ['users', 'create', '--email', emailOf(name), '--json']);
    return (JSON.parse(made.stdout) as { id: string }).id;
  }

  /** A person opens the address of an authorization request in a new browser and signs in. @returns the consent page */
  async signIn(name: string, authorizationUrl: string): Promise<AskedForConsent> {
    const browser = new ScriptedBrowser(this.#served.baseUrl);
    const signIn = await browser.goTo(authorizationUrl);
    if (new URL(signIn.url).pathname !== '/sign-in') throw new Error(`no sign-in: ${signIn.url}`);
    const from = this.#log.length;
    const asked = await browser.submit(signIn, { email: emailOf(name) });
    const page = await browser.submit(asked, { code: await this.#nextCode(from) });
    return { browser, page };
  }

  /** The code in what the log says that was not there before. */
  async #nextCode(from: number): Promise<string> {
    for (;;) {
      const line = this.#log
        .slice(from)
        .split('\n')
        .slice(0, -1)
        .find((text) => text.includes('sign_in_code'));
      const message = line === undefined ? '' : (JSON.parse(line) as { message: string }).message;
      const code = /\b\d{8}\b/.exec(message)?.[0];
      if (code !== undefined) return code;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
}

/** The address of a person. */
export function emailOf(name: string): string {
  return `${name}@example.test`;
}
