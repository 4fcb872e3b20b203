/** Steps to register an app with each provider of the catalog. catalogs/<connector>/README.md has the details. */

/** One step. */
export interface ProviderStep {
  text: string;
  /** A page of the provider. */
  link?: { href: string; label: string };
  /** Command to run or value to enter there. */
  code?: (redirectUri: string) => string;
}

/** Not every connection has a form: `gatehouse.yaml` may declare it, and the page says so. */
const ADD_CLIENT = 'Enter client id and secret in this connection.';

/** Steps by the name of the connector. */
export const PROVIDER_STEPS: Readonly<Record<string, readonly ProviderStep[]>> = {
  crm: [
    {
      text: 'Make an app at Attio.',
      link: { href: 'https://build.attio.com', label: 'Open build.attio.com' },
    },
    { text: 'Enter the redirect URI of this page there.' },
    {
      text: 'Tick the scopes of the app. Attio grants what is ticked there, so tick exactly the scopes of this connection.',
    },
    { text: ADD_CLIENT },
    {
      text: 'An unpublished app reaches your own workspace and up to 25 others by invitation. For more, publish it.',
    },
  ],
  mail: [
    {
      text: 'Register an app in Microsoft Entra, under app registrations, with the platform Web. The platform for single-page apps has refresh tokens that end after 24 hours.',
      link: { href: 'https://entra.microsoft.com', label: 'Open Microsoft Entra' },
    },
    {
      text: 'Enter the redirect URI of this page. Microsoft takes https, and http for the name localhost only, not for 127.0.0.1.',
    },
    { text: 'Make a client secret of the app.' },
    {
      text: 'Choose the tenant in this connection: common for all accounts, organizations, consumers, or the id of one tenant. The supported account types of the app must match.',
    },
    { text: 'Add offline_access to the scopes: without it an account expires after an hour.' },
    { text: ADD_CLIENT },
  ],
  video: [
    {
      text: 'Make a project in the Google Cloud console.',
      link: { href: 'https://console.cloud.google.com', label: 'Open the Google Cloud console' },
    },
    { text: 'Enable the YouTube Data API v3, the YouTube Analytics API and the YouTube Reporting API.' },
    {
      text: 'Set up the consent screen. While it is in testing, only listed test users can connect, and their access ends after 7 days.',
    },
    { text: 'Make an OAuth client of the type Web application with the redirect URI of this page.' },
    { text: ADD_CLIENT },
  ],
  warehouse: [
    {
      text: 'Enter the address of your Snowflake account in this connection, as domain. A connection is for one Snowflake account.',
    },
    {
      text: 'In Snowflake, a role that may create integrations runs this:',
      code: (redirectUri) =>
        [
          'CREATE SECURITY INTEGRATION gatehouse',
          '  TYPE = OAUTH ENABLED = TRUE',
          "  OAUTH_CLIENT = CUSTOM OAUTH_CLIENT_TYPE = 'CONFIDENTIAL'",
          '  OAUTH_ISSUE_REFRESH_TOKENS = TRUE',
          `  OAUTH_REDIRECT_URI = '${redirectUri.replaceAll("'", "''")}';`,
          "SELECT SYSTEM$SHOW_OAUTH_CLIENT_SECRETS('GATEHOUSE');",
        ].join('\n'),
    },
    { text: 'The last line shows client id and secret. Enter them in this connection.' },
    {
      text: 'Add refresh_token to the scopes, and session:role:NAME for the role that calls act with. Without refresh_token an account expires after ten minutes.',
    },
  ],
  websearch: [
    {
      text: 'There is nothing to register: each account has its own API key.',
      link: { href: 'https://dashboard.exa.ai/api-keys', label: 'Where people make their key' },
    },
  ],
};

/** Steps for connectors without their own. */
export const GENERAL_STEPS = {
  consent: (title: string): readonly ProviderStep[] => [
    { text: `Register an app with ${title}, with the redirect URI of this page.` },
    { text: 'Allow the app the scopes of this connection.' },
    { text: ADD_CLIENT },
  ],
  client: (title: string): readonly ProviderStep[] => [
    { text: `Register a client with ${title}.` },
    { text: 'Enter its client id and secret in this connection.' },
  ],
  service_account_json: (title: string): readonly ProviderStep[] => [
    { text: `Make a service account with ${title}, and download its key file.` },
    { text: 'Let an administrator of the workspace authorize it for the scopes.' },
    { text: 'Enter the key file in this connection.' },
  ],
  private_key: (title: string): readonly ProviderStep[] => [
    { text: `Register a client with ${title}, with the public part of a key pair.` },
    { text: 'Enter its client id and the private key in this connection.' },
  ],
  none: [{ text: 'There is nothing to register: each account brings its own credential.' }],
} as const;
