/** Initial content of a mailbox: the mail of the last days before the start of the sandbox. */
import type { Mailbox } from './mailbox.ts';
import type { Message } from './model.ts';

const HOUR_MS = 3_600_000;

/** A received message. */
interface Entry {
  hoursAgo: number;
  from: { address: string; name: string };
  subject: string;
  text: string;
  more?: Partial<Message>;
}

const OLE = { address: 'ole@marrowlight.example', name: 'Ole Lindqvist' };
const MARIT = { address: 'marit@harbour-almanac.example', name: 'Marit Solheim' };
const LIVIA = { address: 'livia@slowcup.example', name: 'Livia Conti' };
const HANA = { address: 'hana.novak@fernway-robotics.example', name: 'Hana Novak' };
const SANNA = { address: 'sanna@northlight.example', name: 'Sanna Holm' };

const ENTRIES: readonly Entry[] = [
  {
    hoursAgo: 3,
    from: MARIT,
    subject: 'Beacon contract: two questions',
    text: 'Hello,\n\ncan the beacons be installed before the spring tide, and who insures the boat?\n\nMarit',
    more: { isRead: false, importance: 'high' },
  },
  {
    hoursAgo: 5,
    from: OLE,
    subject: 'Load sheets for Fedje',
    text: 'Here are the load sheets. Please bring them along on Tuesday.\nOle',
    more: {
      isRead: false,
      attachments: [
        file('load-sheets.csv', 'text/csv', 'battery,kg\nNorth,412\nSouth,398\n'),
        file('pier.png', 'image/png', '\u0089PNG not a real picture'),
      ],
    },
  },
  {
    hoursAgo: 26,
    from: LIVIA,
    subject: 'Invoice 2041',
    text: 'The invoice for the coffee machines is attached. Payable within 30 days.',
    more: { attachments: [file('invoice-2041.txt', 'text/plain', 'Invoice 2041\nTotal: 1,280.00 EUR\n')] },
  },
  {
    hoursAgo: 30,
    from: SANNA,
    subject: 'Lunch on Thursday?',
    text: 'Shall we try the new place at the harbour?',
  },
  {
    hoursAgo: 50,
    from: HANA,
    subject: 'Charging posts: the demonstration',
    text: 'Thank you for the date. I will bring two colleagues.',
    more: { categories: ['Customers'] },
  },
  {
    hoursAgo: 100,
    from: { address: 'news@tide-tables.example', name: 'Tide tables weekly' },
    subject: 'Spring tides in December',
    text: 'The highest tides of the year come on December 5 and 6.',
    more: { inference: 'other' },
  },
];

/** Fills an empty mailbox. @param now Unix milliseconds */
export function seedMailbox(mailbox: Mailbox, now: number): void {
  const invoices = mailbox.addFolder('Invoices', mailbox.root);
  for (const { hoursAgo, from, subject, text, more } of ENTRIES.toReversed()) {
    mailbox.add(
      'inbox',
      { subject, body: { contentType: 'text', content: text }, to: [mailbox.ownAddress] },
      { from, receivedAt: now - hoursAgo * HOUR_MS, isDraft: false, ...more },
    );
  }
  mailbox.add(
    invoices.id,
    { subject: 'Invoice 1987', body: { contentType: 'text', content: 'Paid.' }, to: [mailbox.ownAddress] },
    { from: LIVIA, receivedAt: now - 900 * HOUR_MS, isDraft: false },
  );
}

function file(name: string, contentType: string, content: string): Message['attachments'][number] {
  const id = `AAMkAGI2TG9/seeded-${Buffer.from(name).toString('base64')}`;
  return { id, name, contentType, isInline: false, contentBytes: Buffer.from(content).toString('base64') };
}
