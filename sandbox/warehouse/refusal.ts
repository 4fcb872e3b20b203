/** Refusals of the stand-in warehouse: requests, and statements. */

/** An invalid request. Becomes `{code, message}` with the status. */
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

/** A failed statement. Becomes 422, or 408 if it took too long, with the statement's handle. */
export class SqlFailure extends Error {
  override readonly name = 'SqlFailure';
  /** The provider's six-digit number. */
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

/** No object has the name, or the role may not see it. */
export function noSuchObject(kind: string, name: string): SqlFailure {
  return new SqlFailure(
    '002003',
    kind === 'Database' || kind === 'Schema' ? '02000' : '42S02',
    `SQL compilation error:\n${kind} '${name}' does not exist or not authorized.`,
  );
}

/** The real provider supports it; this stand-in does not. */
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
