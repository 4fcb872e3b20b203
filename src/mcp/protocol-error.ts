/**
 * The reason why a message gets a JSON-RPC error instead of a result (JSON-RPC 2.0, section 5.1). The SDK has such
 * a class too; this one does not load the SDK.
 */

/** Code for parameters that the method does not take. */
export const INVALID_PARAMS = -32_602;

/** Code for a failure of the server. */
export const INTERNAL_ERROR = -32_603;

/** A refusal whose text a client may see. The SDK's `Server` sends its code and text as they are. */
export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
