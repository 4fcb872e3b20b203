/** Adds decimal numbers without rounding: 0.1 and 0.2 are 0.3. */

/** A number as JavaScript or a provider writes it. A number with more than 40 decimal places is not an amount. */
const DECIMAL = /^(-?)(\d{1,60})(?:\.(\d{1,40}))?(?:e([+-]?\d{1,2}))?$/i;

export class DecimalSum {
  #digits = 0n;
  #places = 0;

  /** @returns false for anything but a finite number, which is not added */
  add(value: unknown): boolean {
    const [, sign, whole = '', part = '', power = '0'] = DECIMAL.exec(String(value)) ?? [];
    if (sign === undefined || (typeof value !== 'number' && typeof value !== 'string')) return false;
    const shift = Number(power) - part.length;
    const places = Math.max(0, -shift);
    const digits = BigInt(`${sign}${whole}${part}`) * 10n ** BigInt(Math.max(0, shift));
    const most = Math.max(places, this.#places);
    this.#digits = this.#digits * 10n ** BigInt(most - this.#places) + digits * 10n ** BigInt(most - places);
    this.#places = most;
    return true;
  }

  /** The sum: a number if a number is exact, otherwise text. */
  value(): number | string {
    const text = this.#text();
    return String(Number(text)) === text ? Number(text) : text;
  }

  #text(): string {
    const sign = this.#digits < 0n ? '-' : '';
    const digits = String(this.#digits < 0n ? -this.#digits : this.#digits).padStart(this.#places + 1, '0');
    const whole = digits.slice(0, digits.length - this.#places);
    const part = digits.slice(digits.length - this.#places).replace(/0+$/, '');
    return `${sign}${whole}${part === '' ? '' : `.${part}`}`;
  }
}
