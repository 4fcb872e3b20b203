/**
 * The whole web of the sandbox: invented pages on reserved `.example` domains, so that no answer can be
 * mistaken for a real source and no link leads anywhere.
 */

/** One page of the corpus. */
export interface CorpusPage {
  /** Also the page's id, as with the real provider. */
  url: string;
  title: string;
  author: string | null;
  /** RFC 3339, or null for pages without a date. */
  publishedDate: string | null;
  category:
    'company' | 'research paper' | 'news' | 'github' | 'personal site' | 'people' | 'financial report';
  /** Paragraphs, separated by an empty line. */
  text: string;
  /** For pages about a company. */
  company?: { name: string; location: string; employees: number; industry: string };
  /** For pages about a person. */
  person?: { name: string; location: string; position: string; employer: string };
}

/** All pages, in a fixed order that also breaks ties of the ranking. */
export const CORPUS: readonly CorpusPage[] = [
  {
    url: 'https://harbour-almanac.example/guides/reading-a-tide-table',
    title: 'How to read a tide table',
    author: 'Marit Solheim',
    publishedDate: '2026-03-14T08:00:00.000Z',
    category: 'personal site',
    text: `A tide table lists the times and heights of high and low water for one harbour. Heights are given above chart datum, the level printed on the chart, not above the sea bed.

To find the depth at your berth, add the tide's height to the charted depth. Twice a month, around new and full moon, spring tides make the range largest; the neap tides between them are gentle.

Tables are predictions. Strong wind and low air pressure can lift the water by half a metre, so leave a margin under the keel.`,
  },
  {
    url: 'https://harbour-almanac.example/news/tide-gauge-network-2026',
    title: 'Forty new tide gauges go online along the northern coast',
    author: 'Jonas Brandt',
    publishedDate: '2026-09-02T06:30:00.000Z',
    category: 'news',
    text: `Forty new tide gauges now report the water level every minute along the northern coast. The network replaces instruments from the nineteen-eighties that had to be read by telephone.

Harbour masters expect better storm surge warnings this winter. The data is public and free to use.`,
  },
  {
    url: 'https://slowcup.example/brewing/espresso-extraction',
    title: 'Espresso extraction, explained with a kitchen scale',
    author: 'Livia Conti',
    publishedDate: '2025-11-20T09:15:00.000Z',
    category: 'personal site',
    text: `Good espresso is mostly a matter of ratio and time: eighteen grams of coffee in, thirty-six grams of espresso out, in about twenty-eight seconds. Grind finer when it runs too fast, coarser when it drips.

Sour coffee was extracted too little, bitter coffee too much. Change one thing at a time and write it down.

Water matters as much as beans. Very soft water tastes flat, very hard water ruins the machine.`,
  },
  {
    url: 'https://slowcup.example/news/coffee-harvest-outlook',
    title: 'Coffee harvest outlook: smaller beans, better prices for growers',
    author: 'Livia Conti',
    publishedDate: '2026-08-11T05:45:00.000Z',
    category: 'news',
    text: `A dry spring leaves this year's coffee harvest about six percent smaller than the last. Growers' cooperatives report better prices for washed arabica all the same.

Roasters say cups will cost a little more by December.`,
  },
  {
    url: 'https://protocol-notes.example/mcp/what-a-server-does',
    title: 'The Model Context Protocol: what a server does',
    author: 'Adaeze Okafor',
    publishedDate: '2026-08-19T12:00:00.000Z',
    category: 'personal site',
    text: `A server for the Model Context Protocol publishes tools that an AI agent can call. The client lists the tools, shows them to the model, and sends each call to the server.

A tool has a name, a description and an input schema. Hints tell the client whether a tool only reads or also changes data, so that it can ask the user before anything is deleted.

A server that works with other people's apps needs their credentials. The safest design keeps those in the server: the agent sees results, never keys.`,
  },
  {
    url: 'https://protocol-notes.example/oauth/why-short-lived-tokens',
    title: 'Why access tokens are short-lived',
    author: 'Adaeze Okafor',
    publishedDate: '2026-01-27T12:00:00.000Z',
    category: 'personal site',
    text: `An access token is a bearer token: whoever holds it may use it. A short life limits what a thief gains, and a refresh token lets the honest holder go on without asking the user again.

Providers that rotate refresh tokens accept each of them once. Two processes that refresh at the same moment would lock each other out, so one of them has to wait.`,
  },
  {
    url: 'https://code-shelf.example/lanternfish/paginate',
    title: 'lanternfish/paginate: keyset pagination for any SQL database',
    author: 'lanternfish',
    publishedDate: '2026-05-06T15:20:00.000Z',
    category: 'github',
    text: `Keyset pagination remembers the last row of a page instead of counting from the start. Pages stay stable while rows are being inserted, and the hundredth page costs as much as the first.

Install the package, name the columns that order your list, and pass the cursor you were given back to the next call.`,
  },
  {
    url: 'https://code-shelf.example/lanternfish/tide-clock',
    title: 'lanternfish/tide-clock: a tide clock for small displays',
    author: 'lanternfish',
    publishedDate: '2025-12-30T18:00:00.000Z',
    category: 'github',
    text: `Shows the next high and low water on an e-paper display. Reads public tide gauges once an hour and keeps working without a network for two days.

Runs on any board with Python. Pull requests are welcome.`,
  },
  {
    url: 'https://open-preprints.example/abs/2604.01187',
    title: 'Retrieval with small corpora: when word overlap is enough',
    author: 'Hana Novak, Tomasz Zielinski',
    publishedDate: '2026-04-03T00:00:00.000Z',
    category: 'research paper',
    text: `We compare embedding search with plain word overlap on collections of fewer than one thousand documents. Below two hundred documents, word overlap finds the right page as often as embeddings do, at a hundredth of the cost.

Embeddings win when questions and documents use different words for the same thing. We publish the collections and all judgements.`,
  },
  {
    url: 'https://open-preprints.example/abs/2602.09344',
    title: 'Agents and credentials: a field study of forty deployments',
    author: 'Priya Raman, Ole Lindqvist',
    publishedDate: '2026-02-16T00:00:00.000Z',
    category: 'research paper',
    text: `We examined how forty teams give AI agents access to third-party applications. In twenty-six of them a long-lived API key was readable by the agent itself.

Teams that kept keys in a separate server lost no credential during the study. Asking the account's owner once, by link, was enough in practice.`,
  },
  {
    url: 'https://open-preprints.example/abs/2511.17702',
    title: 'Grid batteries at the edge of the tide: storage for tidal power',
    author: 'Ines Duarte',
    publishedDate: '2025-11-28T00:00:00.000Z',
    category: 'research paper',
    text: `Tidal power is predictable but comes in four peaks a day. We show that a battery holding ninety minutes of output turns it into steady supply.

Costs fall below those of gas turbines when the battery is shared by two sites whose tides are out of step.`,
  },
  {
    url: 'https://marrowlight.example/about',
    title: 'Marrowlight: grid batteries for small islands',
    author: null,
    publishedDate: null,
    category: 'company',
    text: `Marrowlight builds grid batteries for small islands. Its containers store tidal and solar power and replace diesel generators at night.

The company was founded in Bergen in 2019 and supplies thirty-one islands.`,
    company: { name: 'Marrowlight', location: 'Bergen, Norway', employees: 84, industry: 'Energy storage' },
  },
  {
    url: 'https://fernway-robotics.example/company',
    title: 'Fernway Robotics: machines that weed without chemicals',
    author: null,
    publishedDate: null,
    category: 'company',
    text: `Fernway Robotics makes field robots that pull weeds one by one. A robot covers a hectare a night and needs no herbicides.

Farmers rent the robots by the week. Fernway employs two hundred and ten people in Wageningen.`,
    company: {
      name: 'Fernway Robotics',
      location: 'Wageningen, Netherlands',
      employees: 210,
      industry: 'Agricultural robotics',
    },
  },
  {
    url: 'https://fernway-robotics.example/reports/2025-annual-report',
    title: 'Fernway Robotics annual report 2025',
    author: null,
    publishedDate: '2026-03-31T07:00:00.000Z',
    category: 'financial report',
    text: `Revenue rose by forty percent to 61 million euros in 2025. Rentals of field robots made up two thirds of it.

The board proposes to keep the profit of 3.2 million euros in the company.`,
  },
  {
    url: 'https://quillmark.example/company',
    title: 'Quillmark: contracts that people can read',
    author: null,
    publishedDate: null,
    category: 'company',
    text: `Quillmark turns legal contracts into plain language and keeps both versions side by side. Lawyers review every change.

Four hundred cooperatives and city councils use it.`,
    company: { name: 'Quillmark', location: 'Lisbon, Portugal', employees: 37, industry: 'Legal software' },
  },
  {
    url: 'https://people-pages.example/ines-duarte',
    title: 'Ines Duarte, energy researcher',
    author: null,
    publishedDate: null,
    category: 'people',
    text: `Ines Duarte studies storage for tidal power at the Coastal Energy Institute in Porto. Before that she designed batteries at Marrowlight.`,
    person: {
      name: 'Ines Duarte',
      location: 'Porto, Portugal',
      position: 'Energy researcher',
      employer: 'Coastal Energy Institute',
    },
  },
  {
    url: 'https://people-pages.example/adaeze-okafor',
    title: 'Adaeze Okafor, protocol engineer',
    author: null,
    publishedDate: null,
    category: 'people',
    text: `Adaeze Okafor writes about protocols for AI agents, OAuth and tokens. She maintains protocol-notes and speaks about servers that keep keys away from agents.`,
    person: {
      name: 'Adaeze Okafor',
      location: 'Lagos, Nigeria',
      position: 'Protocol engineer',
      employer: 'Independent',
    },
  },
];
