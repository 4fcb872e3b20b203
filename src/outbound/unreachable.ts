/** Says why no connection to a host was established. Names only the host of the address. Pure. */

/** The host called, with its port, and the code of the system or the HTTP client. */
export interface Unreached {
  /** As in `URL.host`. */
  host: string;
  code: string | undefined;
}

const LATER = 'Nothing was sent; try again a little later.';

const ELSEWHERE =
  "Nothing was sent; check the host in the connector's file (hosts), the connection or the account, and that this machine can look up names.";

/**
 * The text after the provider's name if no connection was established. @param unreached `undefined` if
 * nothing is known
 */
export function connectText(unreached: Unreached | undefined): string {
  const { host, code } = unreached ?? {};
  if (host === undefined || code === undefined) return `cannot be reached. ${LATER}`;
  switch (code) {
    case 'ENOTFOUND':
      return `cannot be reached: there is no host ${host.replace(/:\d+$/, '')}. ${ELSEWHERE}`;
    case 'EAI_AGAIN':
      return `cannot be reached: the name ${host.replace(/:\d+$/, '')} could not be looked up. ${LATER}`;
    case 'ECONNREFUSED':
      return `cannot be reached: ${host} refused the connection. ${LATER}`;
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return `cannot be reached: there is no route to ${host} from this machine. ${LATER}`;
    case 'ETIMEDOUT':
    case 'UND_ERR_CONNECT_TIMEOUT':
      return `cannot be reached: ${host} did not accept the connection in time. ${LATER}`;
    case 'ECONNRESET':
    case 'UND_ERR_SOCKET':
      return `cannot be reached: ${host} closed the connection. ${LATER}`;
    default:
      return `cannot be reached: no connection to ${host} could be made (${code}). ${LATER}`;
  }
}

const ADD_CERTIFICATE = 'Nothing was sent; the operator can add a certificate with GATEHOUSE_CA_FILE.';

/**
 * The text after the provider's name if no secure connection was established. @param unreached `undefined` if
 * nothing is known
 */
export function tlsText(unreached: Unreached | undefined): string {
  const { host, code } = unreached ?? {};
  if (host === undefined || code === undefined)
    return `has no certificate that is trusted here. ${ADD_CERTIFICATE}`;
  if (code === 'CERT_HAS_EXPIRED')
    return `cannot be reached safely: the certificate of ${host} has expired. Nothing was sent.`;
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID' || code === 'HOSTNAME_MISMATCH')
    return `cannot be reached safely: ${host} shows a certificate for another host. Nothing was sent; check the host in the connector's file (hosts), the connection or the account.`;
  if (/^(EPROTO|ERR_SSL)/.test(code))
    return `cannot be reached safely: ${host} does not answer with TLS. Nothing was sent; check whether its port is for https.`;
  return `cannot be reached safely: ${host} has no certificate that is trusted here. ${ADD_CERTIFICATE}`;
}
