/** What the test provider can be told to do, with what it does when it is told nothing. */

/** How the consent page answers. */
export interface AuthorizeSettings {
  /** `deny`: the person says no; `error`: the provider is in trouble and says so on the callback. */
  mode: 'approve' | 'deny' | 'error';
  /** `error_description` of `deny` and `error`. */
  description: string;
  state: 'echo' | 'drop' | 'alter';
  code: 'normal' | 'drop' | 'duplicate' | 'garbage';
  /** `iss` of the callback (RFC 9207): none, its own, or this text. */
  iss: 'none' | 'correct' | (string & {});
  /** Added to the callback's query as they are. */
  extra: readonly (readonly [string, string])[];
  /** Mix-up: sends the browser to another provider, with this flow's state. */
  forward?: { authorizeUrl: string; clientId: string; redirectUri?: string };
}

export interface ProviderSettings {
  clientId: string;
  clientSecret: string;
  /** Whom a consent is given by. */
  subject: string;
  authorize: AuthorizeSettings;
  /** `off`: challenges are ignored; `required`: no code without one. */
  pkce: 'off' | 'optional' | 'required';
  /** What replies say; null: nothing. */
  expiresInSeconds: number | null;
  /** How long access tokens really live, in milliseconds; null: as replies say. */
  accessLifetimeMs: number | null;
  /**
   * What a used refresh token is worth: `off`: as much as before; `strict`: its second use ends the family;
   * `grace`: strict, but only after `graceMs`.
   */
  rotation: 'off' | 'strict' | 'grace';
  graceMs: number;
  refreshTokens: 'always' | 'never' | 'offline_access';
  /** What is granted; null: what was asked for. */
  grantedScope: string | null;
  /** Members added to every token reply. */
  replyExtra: Readonly<Record<string, unknown>>;
  /** How long each endpoint thinks before it acts. */
  delayMs: { token: number; api: number };
  /** How far its clock is off, in milliseconds. */
  clockOffsetMs: number;
}

export type SettingsChange = Partial<Omit<ProviderSettings, 'authorize' | 'delayMs'>> & {
  authorize?: Partial<AuthorizeSettings>;
  delayMs?: Partial<ProviderSettings['delayMs']>;
};

export const CLIENT_ID = 'ledger-client';
/** Planted: sweeps look for it. */
export const CLIENT_SECRET = 'planted-client-secret-Qm5Zr8Tw2Lx4';

export function defaultSettings(): ProviderSettings {
  return {
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    subject: 'ada',
    authorize: {
      mode: 'approve',
      description: 'The person said no.',
      state: 'echo',
      code: 'normal',
      iss: 'none',
      extra: [],
    },
    pkce: 'required',
    expiresInSeconds: 3600,
    accessLifetimeMs: null,
    rotation: 'strict',
    graceMs: 10_000,
    refreshTokens: 'always',
    grantedScope: null,
    replyExtra: {},
    delayMs: { token: 0, api: 0 },
    clockOffsetMs: 0,
  };
}

/** Changes some settings; groups are changed member by member. */
export function changedSettings(settings: ProviderSettings, change: SettingsChange): ProviderSettings {
  return {
    ...settings,
    ...change,
    authorize: { ...settings.authorize, ...change.authorize },
    delayMs: { ...settings.delayMs, ...change.delayMs },
  };
}
