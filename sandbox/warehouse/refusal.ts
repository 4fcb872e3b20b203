/** What the stand-in warehouse refuses: requests, and statements. */

/** A request that is wrong as such. Becomes `{code, message}` with the status. */
export class WarehouseRefusal extends Error {
  override readonly name = 'WarehouseRefusal';
  readonly status: 400 | 401 | 404 | 405 | 415;
  readonly code: string;

  constructor(status: WarehouseRefusal['status'], code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** 400: the request cannot be read. */
export function badRequest(message: string): WarehouseRefusal {
  return new WarehouseRefusal(400, '390142', message);
}

/** A statement that failed. Becomes 422, or 408 where it took too long, beside the statement's handle. */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure';
  /** The provider's number, in six digits. */
  readonly code: string;
  readonly sqlState: string;

  constructor(code: string, sqlState: string, message: string) {
    super(message);
    this.code = code;
    this.sqlState = sqlState;
  }
}

/** The statement cannot be read. @param at e.g. `line 1 at position 7` */
export function syntaxError(at: string, unexpected: string): SqlFailure {
  return new SqlFailure(
    '001003',
    '42000',
    `SQL compilation error:\nsyntax error ${at} unexpected '${unexpected}'.`,
  );
}

/** Nothing has the name, or the role may not know of it. */
export function noSuchObject(kind: string, name: string): SqlFailure {
  return new SqlFailure(
    '002003',
    kind === 'Database' || kind === 'Schema' ? '02000' : '42S02',
    `SQL compilation error:\n${kind} '${name}' does not exist or not authorized.`,
  );
}

/** The real provider could do it; this stand-in cannot. */
export function unsupported(feature: string): SqlFailure {
  return new SqlFailure(
    '000002',
    '0A000',
    `SQL compilation error:\nUnsupported feature '${feature}'. The sandbox runs plain SQL only.`,
  );
}

/** The role may not do it. */
export function insufficientPrivileges(kind: string, name: string): SqlFailure {
  return new SqlFailure(
    '003001',
    '42501',
    `SQL access control error:\nInsufficient privileges to operate on ${kind} '${name}'.`,
  );
}
