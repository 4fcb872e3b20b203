/** Words of the pages of interceptors. */
import type { Fallback, TriggerPoint } from '../../core/stored-words.ts';

const TRIGGERS: Readonly<Record<TriggerPoint, string>> = {
  PRE_SIGNUP: 'Before somebody signs up',
  PRE_SESSION_CREATION: 'Before somebody is signed in',
  PRE_USER_INVITATION: 'Before somebody is invited',
  PRE_M2M_TOKEN_CREATION: 'Before a program gets a token',
};

const FALLBACKS: Readonly<Record<Fallback, string>> = {
  allow: 'Allow: the flow goes on',
  block: 'Block: the flow stops',
};

/** Words and sentences. */
export const interceptors = {
  title: 'Interceptors',
  lead: 'An interceptor is an endpoint of yours that is asked before a flow goes on, and may stop it.',
  heading: 'Newest first; they are asked oldest first',
  add: 'Add an interceptor',
  none: 'There is no interceptor. Every flow goes on without a question.',
  columns: {
    name: 'Name',
    trigger: 'Asked',
    fallback: 'Without an answer',
    state: 'State',
    day: 'Last 24 h',
  },
  triggers: TRIGGERS,
  fallbacks: FALLBACKS,
  enabled: 'Enabled',
  disabled: 'Disabled',
  day: (allowed: string, denied: string, failed: string) =>
    `${allowed} allowed, ${denied} denied, ${failed} failed`,
  latest: (sentence: string) => `Of the latest 1,000: ${sentence}`,
  quiet: 'Not asked',
  declared: 'In gatehouse.yaml',
  declaredNote:
    'This interceptor is declared in gatehouse.yaml. Change it there; the next start takes the change over.',
  actions: { change: 'Change', enable: 'Enable', disable: 'Disable', delete: 'Delete' },
  facts: {
    heading: 'Interceptor',
    id: 'Id',
    endpoint: 'Endpoint',
    timeout: 'Time to answer',
    changed: 'Last change',
    secret: 'Signed with',
    secretOf: 'The signing secret',
  },
  form: {
    add: 'Add an interceptor',
    change: (name: string) => `Change ${name}`,
    heading: 'Interceptor',
    create: 'Create',
    save: 'Save',
    cancel: 'Cancel',
    name: 'Name',
    nameHint: 'What it is for. It is sent as display_name.',
    trigger: 'Asked',
    endpoint: 'Endpoint',
    endpointHint: 'An https URL that answers {"decision": "ALLOW"} or {"decision": "DENY"}.',
    timeout: 'Time to answer',
    timeoutHint: 'In milliseconds, from 100 to 30000. The person waits this long.',
    fallback: 'Without an answer in time',
    enabledNow: 'Enabled: asked from now on',
    created: (name: string) => `The interceptor ${name} was created.`,
    changed: (name: string) => `The interceptor ${name} was changed.`,
    enabled: (name: string) => `${name} is asked from now on.`,
    disabled: (name: string) => `${name} is no longer asked.`,
  },
  test: {
    heading: 'Test',
    lead: 'Sends a request about invented people to the endpoint, enabled or not. Nothing is recorded.',
    run: 'Test',
    again: 'Test again',
    would: { allow: 'A flow would go on', block: 'A flow would be stopped' },
    request: 'Request sent',
    headers: 'Headers',
    body: 'Body',
    answer: 'Answer',
    noAnswer: 'No complete answer',
    status: (status: number) => `Status ${status}`,
    failed: (why: string) => `The fallback decided: ${why}`,
  },
  log: {
    heading: 'Log',
    none: 'It was not asked yet.',
    noBody: '(empty)',
    cut: (characters: string) => `… (cut after ${characters} characters; the API gives all that is kept)`,
  },
  remove: {
    title: (name: string) => `Delete ${name}?`,
    goes: ['The interceptor goes: the flow goes on without its answer from now on.'],
    stays: ['Its log stays until retention ends. The API shows it as interceptor_logs.'],
    button: 'Delete the interceptor',
    done: (name: string) => `The interceptor ${name} was deleted.`,
  },
  secret: {
    title: 'Signing secret',
    lead: 'Requests to interceptors and webhooks of this environment are signed with it. Your endpoint checks the header interceptor-signature or webhook-signature.',
    heading: 'Secret of this environment',
    show: 'Show the secret',
    showHint: 'That it was shown goes to the audit log.',
    rotate: 'Make a new secret',
    rotateHint: 'For 24 hours requests are signed with the secret before, too.',
    shown: 'The signing secret',
    rotated: 'The new signing secret',
    store: 'Store it where your endpoint reads it. Operators can show it here again.',
    previous: (until: string) =>
      `Requests are also signed with each secret that was replaced in the last 24 hours, until ${until} at the latest.`,
  },
} as const;
