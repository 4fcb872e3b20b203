/**
 * Rules for an endpoint's address: any public https host, and hosts that the operator has allowed. Resolves
 * no names.
 */

/** Whether calls may reach an address, judged by its text only. */
export type IsReachable = (url: URL) => boolean;

const MAX_LENGTH = 2_048;

/**
 * Everything wrong with an address, one sentence each. A name that resolves to a private address is detected
 * only when something is sent.
 */
export function endpointProblems(value: string, isReachable: IsReachable): string[] {
  if (value.length > MAX_LENGTH) return [`Must have at most ${MAX_LENGTH} characters.`];
  if (!/^https?:\/\//i.test(value) || /[\s\\\p{Cc}]/u.test(value) || !URL.canParse(value))
    return ['Must be an absolute https URL.'];
  const url = new URL(value);
  const out: string[] = [];
  if (url.username !== '' || url.password !== '') out.push('Must not contain a user name or password.');
  if (value.includes('#')) out.push('Must not contain a fragment.');
  url.username = '';
  url.password = '';
  if (!isReachable(url)) {
    out.push(
      url.protocol === 'http:'
        ? 'Must be an https URL. http is for hosts of outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS) only.'
        : 'The address is private. If that is intended, add it to outbound.allow_private_hosts (GATEHOUSE_ALLOW_PRIVATE_HOSTS).',
    );
  }
  return out;
}
