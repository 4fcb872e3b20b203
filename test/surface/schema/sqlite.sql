CREATE TABLE account_events (
      id text primary key,
      environment_id text not null references environments (id),
      account_id text not null references accounts (id) on delete cascade,
      at integer not null,
      from_status text,
      to_status text not null,
      cause text not null,
      actor text not null
    ) strict;

CREATE INDEX account_events_by_time on account_events (environment_id, account_id, at, id);

CREATE INDEX account_events_of_account on account_events (account_id);

CREATE TABLE accounts (
      id text primary key,
      environment_id text not null references environments (id),
      connection_id text not null references connections (id) on delete restrict,
      organization_id text not null,
      user_id text not null,
      identifier text not null,
      status text not null,
      credentials_sealed text,
      token_expires_at integer,
      token_received_at integer,
      api_config text not null,
      generation integer not null,
      lease_owner text,
      lease_until integer,
      refresh_state text not null,
      failed_until integer,
      failed_attempts integer not null,
      failed_reason text,
      refusals integer not null,
      last_used_at integer,
      created_at integer not null,
      updated_at integer not null, paused_until integer, declined_at integer, display_name_sealed text,
      unique (environment_id, connection_id, organization_id, user_id, identifier)
    ) strict;

CREATE INDEX accounts_by_age on accounts (environment_id, created_at, id);

CREATE INDEX accounts_by_connection on accounts (connection_id);

CREATE INDEX accounts_by_name on accounts (environment_id, identifier, created_at, id);

CREATE INDEX accounts_by_owner on accounts (environment_id, user_id, organization_id, created_at, id);

CREATE INDEX accounts_by_status on accounts (environment_id, status, created_at, id);

CREATE INDEX accounts_by_status_and_name on accounts (environment_id, status, identifier, created_at, id);

CREATE INDEX accounts_of_connection on accounts (environment_id, connection_id, created_at, id);

CREATE INDEX accounts_of_connection_by_name on accounts (environment_id, connection_id, identifier, created_at, id);

CREATE INDEX accounts_of_connection_by_status on accounts (environment_id, connection_id, status, created_at, id);

CREATE INDEX accounts_of_owner_by_connection on accounts (environment_id, user_id, organization_id, connection_id, created_at, id);

CREATE INDEX accounts_of_owner_by_status on accounts (environment_id, user_id, organization_id, status, created_at, id);

CREATE TRIGGER audit_no_delete before delete on audit
   begin select raise(abort, 'audit is append-only'); end;

CREATE TRIGGER audit_no_update before update on audit
   begin select raise(abort, 'audit is append-only'); end;

CREATE TABLE audit (
      id text primary key,
      environment_id text not null references environments (id),
      at integer not null,
      actor text not null,
      action text not null,
      target text not null,
      ip text not null
    ) strict;

CREATE INDEX audit_by_target on audit (environment_id, target, at, id);

CREATE INDEX audit_by_time on audit (environment_id, at, id);

CREATE INDEX audit_of_action on audit (environment_id, action, at, id, actor);

CREATE INDEX audit_of_actor on audit (environment_id, actor, at, id, action);

CREATE INDEX audit_of_actor_by_action on audit (environment_id, actor, action, at, id);

CREATE TABLE auth_requests (
      id text primary key,
      environment_id text not null references environments (id),
      account_id text not null references accounts (id) on delete cascade,
      link_id text not null,
      token_hash text not null unique,
      identifier text not null,
      waiting_sealed text,
      waiting_expires_at integer,
      waiting_api_config text not null,
      status_before text not null,
      wrong_identifiers integer not null,
      created_at integer not null,
      expires_at integer not null,
      ended_at integer,
      ended_by text
    , browser_hash text, display_name_sealed text) strict;

CREATE INDEX auth_requests_ended on auth_requests (ended_at) where ended_at is not null;

CREATE INDEX auth_requests_of_account on auth_requests (account_id);

CREATE INDEX auth_requests_of_link on auth_requests (link_id);

CREATE INDEX auth_requests_open on auth_requests (expires_at) where ended_at is null;

CREATE TABLE authorization_artifacts (
      id text primary key,
      environment_id text not null references environments (id),
      model text not null,
      id_hash text not null,
      grant_hash text,
      uid_hash text,
      session_id text,
      payload_sealed text not null,
      created_at integer not null,
      expires_at integer,
      consumed_at integer, network text,
      unique (environment_id, model, id_hash)
    ) strict;

CREATE INDEX authorization_artifacts_by_end on authorization_artifacts (environment_id, expires_at);

CREATE INDEX authorization_artifacts_by_use on authorization_artifacts (environment_id, consumed_at);

CREATE INDEX authorization_artifacts_of_grant on authorization_artifacts (environment_id, grant_hash);

CREATE INDEX authorization_artifacts_of_network on authorization_artifacts (environment_id, model, network, created_at) where network is not null;

CREATE INDEX authorization_artifacts_of_session on authorization_artifacts (environment_id, session_id);

CREATE INDEX authorization_artifacts_of_uid on authorization_artifacts (environment_id, uid_hash);

CREATE TABLE connections (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      connector text not null,
      authorization_type text not null,
      client_id text,
      client_secret_sealed text,
      scopes text not null,
      params text not null,
      overrides text not null,
      post_user_verify_redirect_url text,
      managed_by text not null,
      created_at integer not null,
      updated_at integer not null, paused_until integer, secret_set_at integer,
      unique (environment_id, name)
    ) strict;

CREATE TABLE credential_secrets (
      id text primary key,
      environment_id text not null references environments (id),
      credential_id text not null references credentials (id) on delete cascade,
      secret_hash text not null,
      created_at integer not null,
      expires_at integer
    ) strict;

CREATE INDEX credential_secrets_of_credential on credential_secrets (credential_id);

CREATE TABLE credentials (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      client_id text not null unique,
      organization_id text not null,
      scopes text not null,
      created_at integer not null
    , last_used_at integer) strict;

CREATE INDEX credentials_by_age on credentials (environment_id, created_at, id);

CREATE TABLE email_codes (
      id text primary key,
      environment_id text not null references environments (id),
      email text not null,
      code_hash text not null,
      browser_hash text not null,
      ip text not null,
      wrong_codes integer not null,
      created_at integer not null,
      expires_at integer not null,
      used_at integer
    , network text, known_browser text) strict;

CREATE INDEX email_codes_by_end on email_codes (environment_id, expires_at, id);

CREATE INDEX email_codes_of_email on email_codes (environment_id, email, created_at);

CREATE INDEX email_codes_of_ip on email_codes (environment_id, ip, created_at);

CREATE TABLE environments (
      id text primary key,
      name text not null unique,
      created_at integer not null
    ) strict;

CREATE TABLE execution_sums (
      environment_id text not null references environments (id),
      hour integer not null,
      connector text not null,
      source text not null,
      status text not null,
      error_code text not null,
      part integer not null,
      up_to_5 integer not null default 0, up_to_10 integer not null default 0, up_to_20 integer not null default 0, up_to_35 integer not null default 0, up_to_60 integer not null default 0, up_to_100 integer not null default 0, up_to_150 integer not null default 0, up_to_250 integer not null default 0, up_to_400 integer not null default 0, up_to_600 integer not null default 0, up_to_1000 integer not null default 0, up_to_1500 integer not null default 0, up_to_2500 integer not null default 0, up_to_4000 integer not null default 0, up_to_6000 integer not null default 0, up_to_10000 integer not null default 0, up_to_15000 integer not null default 0, up_to_30000 integer not null default 0, up_to_60000 integer not null default 0, longer integer not null default 0,
      primary key (environment_id, hour, connector, source, status, error_code, part)
    ) strict, without rowid;

CREATE TABLE executions (
      id text primary key,
      environment_id text not null references environments (id),
      tool_name text not null,
      connected_account_id text,
      source text not null,
      status text not null,
      error_code text,
      duration_ms integer not null,
      at integer not null
    , user_id text, organization_id text, connector text, error_message text, provider_status integer, queue_ms integer, provider_ms integer, attempts integer, renewals integer, client_id text, virtual_server_id text) strict;

CREATE INDEX executions_by_source on executions (environment_id, source, status, at, id);

CREATE INDEX executions_by_time on executions (environment_id, at, id);

CREATE INDEX executions_by_tool_and_source on executions (environment_id, tool_name, source, at, id, status, connector);

CREATE INDEX executions_of_account on executions (environment_id, connected_account_id, at, id);

CREATE INDEX executions_of_connection_by_source on executions (environment_id, connector, source, at, id, status);

CREATE INDEX executions_of_owner on executions (environment_id, user_id, organization_id, at, id);

CREATE INDEX executions_of_server_by_status on executions (environment_id, virtual_server_id, status, at, id) where virtual_server_id is not null;

CREATE INDEX failed_executions_by_code_and_source on executions (environment_id, error_code, source, at, id) where status = 'error';

CREATE INDEX failed_executions_by_tool_and_code on executions (environment_id, tool_name, error_code, at, id, source, connector) where status = 'error';

CREATE INDEX failed_executions_by_tool_and_source on executions (environment_id, tool_name, source, at, id, connector) where status = 'error';

CREATE INDEX failed_executions_of_account on executions (environment_id, connected_account_id, at, id) where status = 'error';

CREATE INDEX failed_executions_of_connection_by_code on executions (environment_id, connector, error_code, at, id, source) where status = 'error';

CREATE INDEX failed_executions_of_connection_by_source on executions (environment_id, connector, source, at, id) where status = 'error';

CREATE INDEX failed_executions_of_owner on executions (environment_id, user_id, organization_id, at, id) where status = 'error';

CREATE TABLE idempotency_keys (
      id text primary key,
      environment_id text not null references environments (id),
      actor text not null,
      account_id text not null references accounts (id) on delete cascade,
      key_hash text not null,
      input_hash text not null,
      state text not null,
      lease_owner text,
      lease_until integer,
      outcome_sealed text,
      created_at integer not null,
      unique (environment_id, actor, account_id, key_hash)
    ) strict;

CREATE INDEX idempotency_keys_by_age on idempotency_keys (environment_id, created_at);

CREATE INDEX idempotency_keys_of_account on idempotency_keys (account_id);

CREATE TABLE installation (key text primary key, value text not null) strict;

CREATE TABLE "interceptor_logs" (
    id text primary key,
    environment_id text not null references environments (id),
    interceptor_id text not null,
    at integer not null,
    trigger_point text not null,
    request text not null,
    response_status integer,
    response_body text,
    failure text,
    decision text not null,
    duration_ms integer not null
  ) strict;

CREATE INDEX interceptor_logs_by_age on interceptor_logs (environment_id, interceptor_id, at, id);

CREATE INDEX interceptor_logs_by_time on interceptor_logs (environment_id, at, id);

CREATE TABLE interceptors (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      trigger_point text not null,
      endpoint text not null,
      timeout_ms integer not null,
      fallback text not null,
      enabled integer not null,
      managed_by text not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, name)
    ) strict;

CREATE INDEX interceptors_of_trigger on interceptors (environment_id, trigger_point, created_at);

CREATE TABLE invitations (
      id text primary key,
      environment_id text not null references environments (id),
      organization_id text not null references organizations (id) on delete cascade,
      email text not null,
      role text not null,
      token_hash text not null unique,
      invited_by text not null,
      created_at integer not null,
      expires_at integer not null,
      accepted_at integer,
      revoked_at integer
    ) strict;

CREATE INDEX invitations_by_organization on invitations (organization_id);

CREATE INDEX invitations_by_sender on invitations (environment_id, invited_by, created_at);

CREATE INDEX invitations_of_organization on invitations (environment_id, organization_id, created_at, id);

CREATE TABLE links (
      id text primary key,
      environment_id text not null references environments (id),
      account_id text not null references accounts (id) on delete cascade,
      token_hash text not null unique,
      verification text not null,
      user_verify_url text,
      caller_state text,
      scopes text not null,
      created_by text not null,
      created_at integer not null,
      expires_at integer not null,
      completed_at integer
    , trials integer not null default 0, token_sealed text, requester text, requested_by text, declined_at integer) strict;

CREATE INDEX links_by_expiry on links (expires_at);

CREATE INDEX links_of_account_by_age on links (account_id, created_at);

CREATE TABLE mcp_servers (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      organization_id text not null,
      connections text not null,
      toolsets text not null,
      tools text not null,
      read_only integer not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, name)
    ) strict;

CREATE TABLE memberships (
      id text primary key,
      environment_id text not null references environments (id),
      organization_id text not null references organizations (id) on delete cascade,
      user_id text not null references users (id) on delete cascade,
      role text not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, organization_id, user_id)
    ) strict;

CREATE INDEX memberships_by_organization on memberships (organization_id);

CREATE INDEX memberships_by_user on memberships (user_id);

CREATE INDEX memberships_of_organization on memberships (environment_id, organization_id, created_at, id);

CREATE INDEX memberships_of_user on memberships (environment_id, user_id);

CREATE TABLE oauth_flows (
      id text primary key,
      environment_id text not null references environments (id),
      account_id text not null references accounts (id) on delete cascade,
      link_id text not null references links (id) on delete cascade,
      connection_id text not null,
      state_hash text not null unique,
      browser_hash text not null,
      verifier_sealed text,
      token_url text not null,
      issuer text not null,
      redirect_uri text not null,
      scopes text not null,
      api_config text not null,
      created_at integer not null,
      expires_at integer not null,
      consumed_at integer
    , issuer_required integer not null default 0) strict;

CREATE INDEX oauth_flows_by_expiry on oauth_flows (expires_at);

CREATE INDEX oauth_flows_of_account on oauth_flows (account_id);

CREATE INDEX oauth_flows_of_link_by_age on oauth_flows (link_id, created_at, id);

CREATE TABLE organization_providers (
      id text primary key,
      environment_id text not null references environments (id),
      organization_id text not null references organizations (id) on delete cascade unique,
      issuer text not null,
      client_id text not null,
      client_secret_sealed text,
      domains text not null,
      created_at integer not null,
      updated_at integer not null
    , entered_by_operator integer not null default 0, assume_email_verified integer not null default 0, allow_operator_rights integer not null default 0) strict;

CREATE TABLE organizations (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      created_at integer not null,
      updated_at integer not null
    ) strict;

CREATE INDEX organizations_by_age on organizations (environment_id, created_at, id);

CREATE INDEX organizations_by_name on organizations (environment_id, name, created_at, id);

CREATE TABLE rate_windows (
      key text primary key,
      points integer not null,
      expire integer not null
    ) strict;

CREATE TABLE revoked_tokens (
      environment_id text not null references environments (id),
      token_id text not null,
      expires_at integer not null,
      primary key (environment_id, token_id)
    ) strict;

CREATE INDEX revoked_tokens_by_expiry on revoked_tokens (expires_at);

CREATE TABLE sessions (
      id text primary key,
      environment_id text not null references environments (id),
      kind text not null,
      user_id text not null,
      organization_id text not null,
      client_id text not null,
      resource text not null,
      token_hash text unique,
      connection_details text not null,
      custom_claims text not null,
      created_at integer not null,
      expires_at integer not null,
      ended_at integer
    , device text not null default '{}') strict;

CREATE INDEX sessions_by_age on sessions (environment_id, created_at, id);

CREATE INDEX sessions_by_end on sessions (environment_id, expires_at);

CREATE INDEX sessions_ended on sessions (environment_id, ended_at, id) where ended_at is not null;

CREATE INDEX sessions_of_client on sessions (environment_id, client_id) where ended_at is null;

CREATE INDEX sessions_of_organization on sessions (environment_id, organization_id, created_at, id);

CREATE INDEX sessions_of_user_by_age on sessions (environment_id, user_id, created_at, id);

CREATE TABLE sign_in_flows (
      id text primary key,
      environment_id text not null references environments (id),
      organization_id text not null references organizations (id) on delete cascade,
      state_hash text not null unique,
      browser_hash text not null,
      secrets_sealed text not null,
      next text not null,
      created_at integer not null,
      expires_at integer not null,
      consumed_at integer
    ) strict;

CREATE INDEX sign_in_flows_by_end on sign_in_flows (environment_id, expires_at);

CREATE INDEX sign_in_flows_by_organization on sign_in_flows (organization_id);

CREATE TABLE signing_keys (
      id text primary key,
      environment_id text not null references environments (id),
      public_jwk text not null,
      private_jwk_sealed text not null,
      created_at integer not null
    ) strict;

CREATE INDEX signing_keys_by_age on signing_keys (environment_id, created_at);

CREATE TABLE signing_secrets (
      id text primary key,
      environment_id text not null references environments (id),
      secret_sealed text not null,
      created_at integer not null,
      expires_at integer
    ) strict;

CREATE INDEX signing_secrets_by_age on signing_secrets (environment_id, created_at);

CREATE TABLE sqlite_stat1(tbl,idx,stat);

CREATE TABLE sqlite_stat4(tbl,idx,neq,nlt,ndlt,sample);

CREATE TABLE upstream_clients (
      id text primary key,
      environment_id text not null references environments (id),
      server_id text not null references upstream_servers (id) on delete cascade,
      issuer text not null,
      client_id text not null,
      client_secret_sealed text,
      authentication text not null,
      secret_expires_at integer,
      redirect_uri text not null,
      gone_at integer,
      lost_browsers integer not null,
      used_at integer,
      created_at integer not null
    ) strict;

CREATE INDEX upstream_clients_of_server on upstream_clients (server_id, created_at, id);

CREATE TABLE upstream_connections (
      id text primary key references connections (id) on delete cascade,
      environment_id text not null references environments (id),
      era text,
      discover text not null,
      era_at integer,
      server text not null,
      listed_at integer
    , failing_since integer, failing_origin text) strict;

CREATE TABLE upstream_lists (
      id text primary key references accounts (id) on delete cascade,
      environment_id text not null references environments (id),
      connection_id text not null references connections (id) on delete cascade,
      hash text not null,
      tools text not null,
      listed_at integer not null
    ) strict;

CREATE INDEX upstream_lists_of_connection on upstream_lists (connection_id, id);

CREATE TABLE upstream_servers (
      id text primary key,
      environment_id text not null references environments (id),
      connection_id text not null references connections (id) on delete cascade,
      url text not null,
      authorization_found text not null,
      held text not null,
      held_at integer,
      challenge_scopes text not null,
      checked_at integer not null,
      lease_owner text,
      lease_until integer,
      reset_at integer not null,
      refused_at integer,
      created_at integer not null,
      unique (connection_id, url)
    ) strict;

CREATE TABLE upstream_tools (
      id text primary key,
      environment_id text not null references environments (id),
      connection_id text not null references connections (id) on delete cascade,
      tool text not null,
      hash text not null,
      state text not null,
      obstacle text,
      definition text not null,
      findings text not null,
      name text,
      effect text,
      decided_by text,
      decided_at integer,
      created_at integer not null,
      unique (connection_id, tool, hash)
    ) strict;

CREATE INDEX upstream_tools_of_environment on upstream_tools (environment_id, connection_id, tool, hash);

CREATE TABLE upstream_versions (
      environment_id text primary key references environments (id),
      version integer not null
    ) strict;

CREATE TABLE upstreams (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      definition text not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, name)
    ) strict;

CREATE TABLE user_identities (
      id text primary key,
      environment_id text not null references environments (id),
      user_id text not null references users (id) on delete cascade,
      issuer text not null,
      subject text not null,
      created_at integer not null,
      unique (environment_id, issuer, subject),
      unique (environment_id, user_id, issuer)
    ) strict;

CREATE INDEX user_identities_by_user on user_identities (user_id);

CREATE TABLE users (
      id text primary key,
      environment_id text not null references environments (id),
      email text not null,
      email_verified integer not null,
      given_name text not null,
      family_name text not null,
      is_operator integer not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, email)
    ) strict;

CREATE INDEX users_by_age on users (environment_id, created_at, id);

CREATE TABLE webhook_deliveries (
      id text primary key,
      environment_id text not null references environments (id),
      webhook_id text not null references webhooks (id) on delete cascade,
      event_id text not null,
      event_type text not null,
      body text not null,
      status text not null,
      attempts integer not null,
      next_attempt_at integer,
      taken_until integer,
      last_status integer,
      last_failure text,
      created_at integer not null,
      finished_at integer
    , account_id text) strict;

CREATE INDEX webhook_deliveries_delivered on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'delivered';

CREATE INDEX webhook_deliveries_due on webhook_deliveries (environment_id, webhook_id, next_attempt_at, created_at, id) where status = 'pending';

CREATE INDEX webhook_deliveries_failed on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'failed';

CREATE INDEX webhook_deliveries_finished on webhook_deliveries (finished_at) where finished_at is not null;

CREATE INDEX webhook_deliveries_in_order on webhook_deliveries (webhook_id, created_at, id, environment_id);

CREATE INDEX webhook_deliveries_of_account on webhook_deliveries (environment_id, webhook_id, account_id, created_at, id) where status = 'pending';

CREATE INDEX webhook_deliveries_pending on webhook_deliveries (environment_id, webhook_id, created_at, id) where status = 'pending';

CREATE INDEX webhook_deliveries_taken on webhook_deliveries (environment_id, webhook_id) where taken_until is not null;

CREATE TABLE webhooks (
      id text primary key,
      environment_id text not null references environments (id),
      name text not null,
      url text not null,
      events text not null,
      enabled integer not null,
      managed_by text not null,
      created_at integer not null,
      updated_at integer not null,
      unique (environment_id, name)
    ) strict;
