/**
 * What each tool of the connector with code of its own gets as input, by the tool's name: the checked input with its
 * defaults.
 *
 * Generated from catalogs/ by `npm run generate`. Do not edit.
 */

/** Inputs by the name of the tool. */
export interface ToolInputs {
  warehouse_ask_analyst: {
    question: string;
    semantic_view?: string;
    semantic_model_file?: string;
    history?: readonly string[];
  };
  warehouse_describe_semantic_view: {
    database_name: string;
    schema_name: string;
    view_name: string;
    role?: string;
  };
  warehouse_describe_table: {
    database_name: string;
    schema_name: string;
    table_name: string;
    role?: string;
  };
  warehouse_execute_query: {
    statement: string;
    async?: boolean;
    bindings?: Readonly<Record<string, unknown>>;
    database?: string;
    schema?: string;
    role?: string;
    warehouse?: string;
    nullable?: boolean;
    parameters?: Readonly<Record<string, unknown>>;
    request_id?: string;
    retry?: boolean;
    timeout?: number;
  };
  warehouse_explain_query: {
    statement: string;
    format: 'tabular' | 'json' | 'text';
    database?: string;
    schema?: string;
    role?: string;
  };
  warehouse_get_columns: {
    database: string;
    schema?: string;
    table?: string;
    column_name_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_referential_constraints: {
    database: string;
    schema?: string;
    table?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_schemata: {
    database: string;
    schema_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_table_constraints: {
    database: string;
    schema?: string;
    table?: string;
    constraint_type?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_get_tables: {
    database: string;
    schema?: string;
    table_name_like?: string;
    limit?: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_list_queries: {
    database_name: string;
    status: 'running' | 'failed' | 'all';
    user?: string;
    warehouse_name?: string;
    since?: string;
    limit: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_list_search_services: {
    database_name: string;
    schema_name: string;
    like_pattern?: string;
    limit?: number;
  };
  warehouse_list_semantic_views: {
    database_name?: string;
    schema_name?: string;
    like_pattern?: string;
    role?: string;
  };
  warehouse_query: {
    statement: string;
    bindings?: Readonly<Record<string, unknown>>;
    database?: string;
    schema?: string;
    role?: string;
    warehouse?: string;
    timeout?: number;
  };
  warehouse_sample_rows: {
    database_name: string;
    schema_name: string;
    table_name: string;
    columns?: readonly string[];
    limit: number;
    role?: string;
    warehouse?: string;
  };
  warehouse_search: {
    database_name: string;
    schema_name: string;
    service_name: string;
    query: string;
    columns?: readonly string[];
    filter?: Readonly<Record<string, unknown>>;
    limit: number;
  };
  warehouse_show_databases_schemas: {
    object_type: 'databases' | 'schemas';
    database_name?: string;
    like_pattern?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_grants: {
    grant_view: 'to_role' | 'to_user' | 'of_role' | 'on_object';
    role_name?: string;
    user_name?: string;
    object_type?: string;
    object_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_imported_exported_keys: {
    key_direction: 'imported' | 'exported';
    table_name: string;
    database_name?: string;
    schema_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_primary_keys: {
    database_name?: string;
    schema_name?: string;
    table_name?: string;
    role?: string;
    warehouse?: string;
  };
  warehouse_show_tables: {
    kind: 'tables' | 'views';
    database_name?: string;
    schema_name?: string;
    like_pattern?: string;
    limit?: number;
    role?: string;
  };
  warehouse_show_warehouses: {
    like_pattern?: string;
    role?: string;
    warehouse?: string;
  };
}
