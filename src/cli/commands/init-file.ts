/** The first gatehouse.yaml: short, commented, everything else at its default. */

/** What was asked or given as flags; '' for nothing. */
export interface InitAnswers {
  dataDir: string;
  port: string;
  baseUrl: string;
  userVerifyUrl: string;
}

/** @param schemaPath absolute path of gatehouse.schema.json, for editors */
export function settingsText(
  { dataDir, port, baseUrl, userVerifyUrl }: InitAnswers,
  schemaPath: string,
): string {
  const line = (key: string, value: string, example: string): string =>
    value === '' ? `# ${key}: ${example}` : `${key}: ${JSON.stringify(value)}`;
  return `# yaml-language-server: $schema=${schemaPath}
# Settings of Gatehouse. All of them: docs/configuration.md and gatehouse.example.yaml.
# \${NAME} stands for an environment variable; keep secrets out of this file.

data_dir: ${JSON.stringify(dataDir)} # database and key file; relative: from the folder of this file
port: ${/^\d+$/.test(port) ? port : JSON.stringify(port)}

# Public address, when other machines are to connect. Without it only programs on this machine can.
${line('base_url', baseUrl, 'https://gate.example.test')}
# Page of your app that confirms who an account belongs to.
${line('user_verify_url', userVerifyUrl, 'https://app.example.test/verify')}

# Connectors whose apps have to be registered are declared here; websearch needs nothing but its users' API keys.
# connections:
#   - connector: crm
#     id: conn_crm # fixed, so that the redirect URI to register is: <base_url>/sso/v1/oauth/conn_crm/callback
#     client_id: \${CRM_CLIENT_ID}
#     client_secret: \${CRM_CLIENT_SECRET}
`;
}
