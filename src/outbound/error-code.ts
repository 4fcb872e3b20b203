/** Finds a provider's error code among those that a connector names. Pure. */

/**
 * Whether a code is among `codes`, as a whole or by its bare name: AWS may write a namespace before it and an
 * address after it (`com.amazonaws.redshiftdata#ExpiredTokenException`).
 *
 * @see https://smithy.io/2.0/aws/protocols/aws-json-1_1-protocol.html#operation-error-serialization
 */
export function isAmong(codes: readonly string[], code: string | undefined): boolean {
  return code !== undefined && (codes.includes(code) || codes.includes(bareCode(code)));
}

/** Only a code with a namespace or an address is cut: other codes may contain anything. */
function bareCode(code: string): string {
  return code.replace(/:https?:\/\/.*$/s, '').replace(/^[A-Za-z0-9_.]+#/, '');
}
