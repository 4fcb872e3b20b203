/** The initial rows of the tables: invented, and the same on every run. Pure. */

/**
 * Values in their stored form: dates `YYYY-MM-DD`, times `YYYY-MM-DD HH:MM:SS.mmm`, flags 0 and 1, JSON as
 * text.
 */
export type StoredRow = readonly (string | number | null)[];

const FIRST_ORDER_DAY = Date.UTC(2025, 10, 1);
const DAY_MS = 86_400_000;
const ORDERS = 620;

const FIRST_NAMES = ['Ada', 'Bruno', 'Clara', 'Dario', 'Elin', 'Femi', 'Greta', 'Hugo'];
const LAST_NAMES = ['Aalto', 'Berg', 'Costa', 'Dahl', 'Ekwueme'];
const PLACES = [
  ['Bergen', 'NO'],
  ['Porto', 'PT'],
  ['Turin', 'IT'],
  ['Utrecht', 'NL'],
  ['Aarhus', 'DK'],
] as const;
const SEGMENTS = ['retail', 'trade', 'public'];

const PRODUCTS = [
  ['LMP-01', 'Reading lamp Skerry', 'Lamps', 89.9],
  ['LMP-02', 'Reading lamp Skerry, dimmable', 'Lamps', 119.9],
  ['LMP-03', 'Floor lamp Sound', 'Lamps', 249],
  ['LMP-04', 'Workbench lamp Jetty', 'Lamps', 74.5],
  ['BCN-01', 'Beacon 5 NM', 'Beacons', 640],
  ['BCN-02', 'Beacon 10 NM', 'Beacons', 1180],
  ['BCN-03', 'Beacon mast, 6 m', 'Beacons', 890],
  ['BAT-01', 'Night battery 2 kWh', 'Batteries', 1490],
  ['BAT-02', 'Night battery 5 kWh', 'Batteries', 3250],
  ['BAT-03', 'Battery cabinet', 'Batteries', 410],
  ['CHG-01', 'Charging post, single', 'Charging', 520],
  ['CHG-02', 'Charging post, double', 'Charging', 780.5],
  ['CHG-03', 'Cable, 10 m', 'Charging', 64.25],
  ['SPR-01', 'Bulb set', 'Spares', 12.4],
  ['SPR-02', 'Fuse box', 'Spares', 31],
  ['SPR-03', 'Lens, amber', 'Spares', 27.8],
] as const;
const COLOURS = ['white', 'graphite', 'amber'];

const CAMPAIGNS = [
  ['Winter light', 'newsletter', '2025-11-10', 4200],
  ['Boat fair', 'fair', '2026-02-14', 18_500],
  ['Charge at the quay', 'search', '2026-05-04', 9600],
  ['Back to the desk', 'newsletter', '2026-08-24', null],
] as const;

/** Whole numbers that look random; the same seed gives the same numbers. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Rows by `DATABASE.SCHEMA.TABLE`. */
export function seedRows(): Readonly<Record<string, readonly StoredRow[]>> {
  const { orders, items } = sales();
  return {
    'SALES.PUBLIC.CUSTOMERS': customers(),
    'SALES.PUBLIC.PRODUCTS': PRODUCTS.map(([sku, name, category, price], i) => [
      i + 1,
      sku,
      name,
      category,
      price,
      JSON.stringify({ colour: COLOURS[i % COLOURS.length], weight_kg: 1 + (i % 7) }),
      i === 2 ? '2026-06-30' : null,
    ]),
    'SALES.PUBLIC.ORDERS': orders,
    'SALES.PUBLIC.ORDER_ITEMS': items,
    'SALES.STAGING.RAW_ORDERS': [1, 2, 3].map((line) => [
      line,
      JSON.stringify({
        order: ORDERS + line,
        customer: line * 3,
        lines: [{ sku: 'SPR-01', quantity: line }],
      }),
      '2026-11-02 03:10:00.000',
    ]),
    'MARKETING.PUBLIC.CAMPAIGNS': CAMPAIGNS.map(([name, channel, day, budget], i) => [
      i + 1,
      name,
      channel,
      day,
      budget,
    ]),
    'MARKETING.PUBLIC.VISITS': visits(),
  };
}

function customers(): StoredRow[] {
  return FIRST_NAMES.flatMap((first, i) =>
    LAST_NAMES.map((last, j) => {
      const id = i * LAST_NAMES.length + j + 1;
      const [city, country] = PLACES[id % PLACES.length] ?? ['', ''];
      const email = id % 13 === 0 ? null : `${first}.${last}@customers.example`.toLowerCase();
      const day = new Date(Date.UTC(2025, 0, 6 + id * 7, 9, id)).toISOString();
      return [
        id,
        `${first} ${last}`,
        email,
        city,
        country,
        SEGMENTS[id % SEGMENTS.length] ?? '',
        id % 11 === 0 ? 0 : 1,
        day.slice(0, 23).replace('T', ' '),
      ];
    }),
  );
}

function sales(): { orders: StoredRow[]; items: StoredRow[] } {
  const random = randomFrom(20_261_120);
  const orders: StoredRow[] = [];
  const items: StoredRow[] = [];
  for (let id = 1; id <= ORDERS; id++) {
    const orderedAt = FIRST_ORDER_DAY + Math.floor(id * 0.58) * DAY_MS;
    const customer = 1 + random(FIRST_NAMES.length * LAST_NAMES.length);
    let cents = 0;
    const lines = 1 + random(4);
    for (let line = 1; line <= lines; line++) {
      const product = random(PRODUCTS.length);
      const price = PRODUCTS[product]?.[3] ?? 0;
      const quantity = 1 + random(price < 100 ? 6 : 2);
      cents += Math.round(price * 100) * quantity;
      items.push([id, line, product + 1, quantity, price]);
    }
    const status = statusOf(id, random(20));
    const isSent = status === 'shipped' || status === 'delivered' || status === 'returned';
    const shippedAt = orderedAt + (1 + random(3)) * DAY_MS + (8 + random(9)) * 3_600_000;
    orders.push([
      id,
      customer,
      new Date(orderedAt).toISOString().slice(0, 10),
      status,
      isSent ? new Date(shippedAt).toISOString().slice(0, 23).replace('T', ' ') : null,
      cents / 100,
      id % 40 === 0 ? 'Deliver to the harbour office' : null,
    ]);
  }
  return { orders, items };
}

/** The latest orders are still being shipped. */
function statusOf(id: number, chance: number): string {
  if (id > ORDERS - 12) return 'open';
  if (id > ORDERS - 24) return 'shipped';
  if (chance === 0) return 'cancelled';
  return chance === 1 ? 'returned' : 'delivered';
}

function visits(): StoredRow[] {
  const random = randomFrom(7);
  return CAMPAIGNS.flatMap(([, , day], i) =>
    Array.from({ length: 14 }, (_, offset) => [
      i + 1,
      new Date(Date.parse(day) + offset * DAY_MS).toISOString().slice(0, 10),
      120 + random(900),
      offset === 13 ? null : (10 + random(60)) / 1000,
    ]),
  );
}
