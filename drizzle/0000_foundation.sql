CREATE SEQUENCE "public"."standard_attr_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE SEQUENCE "public"."identity_revocation_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1;--> statement-breakpoint
CREATE TABLE "external_networks" (
	"network_id" uuid PRIMARY KEY NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "network_rbacs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"network_id" uuid NOT NULL,
	"action" varchar(255) NOT NULL,
	"target_project" varchar(255) NOT NULL,
	CONSTRAINT "network_rbacs_once" UNIQUE("network_id","action","target_project")
);
--> statement-breakpoint
CREATE TABLE "network_segments" (
	"id" uuid PRIMARY KEY NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"network_id" uuid NOT NULL,
	"name" varchar(255),
	"network_type" varchar(32) NOT NULL,
	"physical_network" varchar(64),
	"segmentation_id" bigint,
	"segment_index" integer DEFAULT 0 NOT NULL,
	"is_dynamic" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "networks" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"admin_state_up" boolean DEFAULT true NOT NULL,
	"status" varchar(16) NOT NULL,
	"mtu" integer NOT NULL,
	"port_security_enabled" boolean DEFAULT true NOT NULL,
	"availability_zone_hints" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "ip_allocations" (
	"subnet_id" uuid NOT NULL,
	"ip_address" "inet" NOT NULL,
	"port_id" uuid NOT NULL,
	"position" smallint DEFAULT 0 NOT NULL,
	CONSTRAINT "ip_allocations_subnet_id_ip_address_pk" PRIMARY KEY("subnet_id","ip_address")
);
--> statement-breakpoint
CREATE TABLE "port_bindings" (
	"port_id" uuid NOT NULL,
	"host" varchar(255) DEFAULT '' NOT NULL,
	"vnic_type" varchar(64) DEFAULT 'normal' NOT NULL,
	"profile" jsonb DEFAULT '{}' NOT NULL,
	"vif_type" varchar(64) DEFAULT 'unbound' NOT NULL,
	"vif_details" jsonb DEFAULT '{}' NOT NULL,
	"status" varchar(16) DEFAULT 'ACTIVE' NOT NULL,
	CONSTRAINT "port_bindings_port_id_host_pk" PRIMARY KEY("port_id","host")
);
--> statement-breakpoint
CREATE TABLE "ports" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"network_id" uuid NOT NULL,
	"mac_address" "macaddr" NOT NULL,
	"admin_state_up" boolean DEFAULT true NOT NULL,
	"status" varchar(16) NOT NULL,
	"device_id" varchar(255) DEFAULT '' NOT NULL,
	"device_owner" varchar(255) DEFAULT '' NOT NULL,
	"port_security_enabled" boolean DEFAULT true NOT NULL,
	"allowed_address_pairs" json DEFAULT '[]' NOT NULL,
	"extra_dhcp_opts" json DEFAULT '[]' NOT NULL,
	CONSTRAINT "ports_mac_once" UNIQUE("network_id","mac_address")
);
--> statement-breakpoint
CREATE TABLE "subnets" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"network_id" uuid NOT NULL,
	"segment_id" uuid,
	"subnetpool_id" uuid,
	"ip_version" smallint NOT NULL,
	"cidr" "cidr" NOT NULL,
	"gateway_ip" "inet",
	"enable_dhcp" boolean DEFAULT true NOT NULL,
	"ipv6_ra_mode" varchar(16),
	"ipv6_address_mode" varchar(16),
	"allocation_pools" json NOT NULL,
	"dns_nameservers" text[] DEFAULT '{}' NOT NULL,
	"host_routes" json DEFAULT '[]' NOT NULL,
	"service_types" text[] DEFAULT '{}' NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_application_credential_roles" (
	"application_credential_id" varchar(64) NOT NULL,
	"role_id" varchar(64) NOT NULL,
	CONSTRAINT "identity_application_credential_roles_application_credential_id_role_id_pk" PRIMARY KEY("application_credential_id","role_id")
);
--> statement-breakpoint
CREATE TABLE "identity_application_credentials" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"name" varchar(255) NOT NULL,
	"user_id" varchar(64) NOT NULL,
	"project_id" varchar(64) NOT NULL,
	"secret_hash" text NOT NULL,
	"description" text,
	"unrestricted" boolean DEFAULT false NOT NULL,
	"expires_at" timestamp with time zone,
	CONSTRAINT "identity_application_credentials_name" UNIQUE("user_id","name")
);
--> statement-breakpoint
CREATE TABLE "identity_assignments" (
	"user_id" varchar(64),
	"group_id" varchar(64),
	"target_id" varchar(64),
	"role_id" varchar(64) NOT NULL,
	"inherited" boolean DEFAULT false NOT NULL,
	CONSTRAINT "identity_assignments_key" UNIQUE NULLS NOT DISTINCT("user_id","group_id","target_id","role_id","inherited"),
	CONSTRAINT "identity_assignments_actor" CHECK (("identity_assignments"."user_id" is null) <> ("identity_assignments"."group_id" is null))
);
--> statement-breakpoint
CREATE TABLE "identity_endpoints" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"service_id" varchar(64) NOT NULL,
	"region_id" varchar(255),
	"interface" varchar(8) NOT NULL,
	"url" text NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_group_members" (
	"group_id" varchar(64) NOT NULL,
	"user_id" varchar(64) NOT NULL,
	CONSTRAINT "identity_group_members_group_id_user_id_pk" PRIMARY KEY("group_id","user_id")
);
--> statement-breakpoint
CREATE TABLE "identity_groups" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"name" varchar(64) NOT NULL,
	"domain_id" varchar(64) NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "identity_groups_name" UNIQUE("domain_id","name")
);
--> statement-breakpoint
CREATE TABLE "identity_login_failures" (
	"subject" text PRIMARY KEY NOT NULL,
	"failures" integer NOT NULL,
	"last_failure_at" timestamp with time zone NOT NULL,
	"blocked_until" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_projects" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"name" varchar(64) NOT NULL,
	"domain_id" varchar(64),
	"parent_id" varchar(64),
	"is_domain" boolean DEFAULT false NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "identity_projects_name" UNIQUE NULLS NOT DISTINCT("domain_id","name")
);
--> statement-breakpoint
CREATE TABLE "identity_regions" (
	"id" varchar(255) PRIMARY KEY NOT NULL,
	"description" text DEFAULT '' NOT NULL,
	"parent_region_id" varchar(255),
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_revocations" (
	"subject" text PRIMARY KEY NOT NULL,
	"issued_before" bigint NOT NULL,
	"revision" bigint NOT NULL,
	"expires_at" timestamp with time zone NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_role_implications" (
	"prior_role_id" varchar(64) NOT NULL,
	"implied_role_id" varchar(64) NOT NULL,
	CONSTRAINT "identity_role_implications_prior_role_id_implied_role_id_pk" PRIMARY KEY("prior_role_id","implied_role_id")
);
--> statement-breakpoint
CREATE TABLE "identity_roles" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"name" varchar(255) NOT NULL,
	"domain_id" varchar(64),
	"description" text DEFAULT '' NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "identity_roles_name" UNIQUE NULLS NOT DISTINCT("domain_id","name")
);
--> statement-breakpoint
CREATE TABLE "identity_services" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"type" varchar(255) NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_signing_keys" (
	"kid" varchar(32) PRIMARY KEY NOT NULL,
	"secret" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "identity_users" (
	"id" varchar(64) PRIMARY KEY NOT NULL,
	"name" varchar(255) NOT NULL,
	"domain_id" varchar(64) NOT NULL,
	"password_hash" text,
	"default_project_id" varchar(64),
	"enabled" boolean DEFAULT true NOT NULL,
	"options" jsonb DEFAULT '{}'::jsonb NOT NULL,
	"extra" jsonb DEFAULT '{}'::jsonb NOT NULL,
	CONSTRAINT "identity_users_name" UNIQUE("domain_id","name")
);
--> statement-breakpoint
CREATE TABLE "outbox" (
	"id" bigint PRIMARY KEY GENERATED ALWAYS AS IDENTITY (sequence name "outbox_id_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1),
	"key" varchar(255) NOT NULL,
	"host" varchar(255),
	"topic" varchar(255) NOT NULL,
	"payload" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "quota_usages" (
	"project_id" varchar(255) NOT NULL,
	"resource" varchar(255) NOT NULL,
	"in_use" integer NOT NULL,
	CONSTRAINT "quota_usages_project_id_resource_pk" PRIMARY KEY("project_id","resource")
);
--> statement-breakpoint
CREATE TABLE "quotas" (
	"project_id" varchar(255) NOT NULL,
	"resource" varchar(255) NOT NULL,
	"limit" integer NOT NULL,
	CONSTRAINT "quotas_project_id_resource_pk" PRIMARY KEY("project_id","resource")
);
--> statement-breakpoint
CREATE TABLE "agent_presence" (
	"host" varchar(255) NOT NULL,
	"binary" varchar(255) NOT NULL,
	"epoch" bigint NOT NULL,
	"alive" boolean NOT NULL,
	"changed_at" timestamp with time zone NOT NULL,
	CONSTRAINT "agent_presence_host_binary_pk" PRIMARY KEY("host","binary")
);
--> statement-breakpoint
CREATE TABLE "agents" (
	"id" uuid PRIMARY KEY NOT NULL,
	"agent_type" varchar(255) NOT NULL,
	"binary" varchar(255) NOT NULL,
	"topic" varchar(255) NOT NULL,
	"host" varchar(255) NOT NULL,
	"admin_state_up" boolean NOT NULL,
	"availability_zone" varchar(255),
	"created_at" timestamp with time zone NOT NULL,
	"started_at" timestamp with time zone NOT NULL,
	"heartbeat_timestamp" timestamp with time zone NOT NULL,
	"description" varchar(255),
	"configurations" json NOT NULL,
	"resource_versions" json,
	"load" integer DEFAULT 0 NOT NULL,
	"resources_synced" boolean,
	CONSTRAINT "uniq_agents0agent_type0host" UNIQUE("agent_type","host")
);
--> statement-breakpoint
ALTER TABLE "external_networks" ADD CONSTRAINT "external_networks_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "network_rbacs" ADD CONSTRAINT "network_rbacs_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "network_segments" ADD CONSTRAINT "network_segments_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_allocations" ADD CONSTRAINT "ip_allocations_subnet_id_subnets_id_fk" FOREIGN KEY ("subnet_id") REFERENCES "public"."subnets"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ip_allocations" ADD CONSTRAINT "ip_allocations_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_bindings" ADD CONSTRAINT "port_bindings_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ports" ADD CONSTRAINT "ports_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_segment_id_network_segments_id_fk" FOREIGN KEY ("segment_id") REFERENCES "public"."network_segments"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_application_credential_roles" ADD CONSTRAINT "identity_application_credential_roles_role_id_identity_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."identity_roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_application_credential_roles" ADD CONSTRAINT "identity_app_cred_roles_fk" FOREIGN KEY ("application_credential_id") REFERENCES "public"."identity_application_credentials"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_application_credentials" ADD CONSTRAINT "identity_application_credentials_user_id_identity_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."identity_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_application_credentials" ADD CONSTRAINT "identity_application_credentials_project_id_identity_projects_id_fk" FOREIGN KEY ("project_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_assignments" ADD CONSTRAINT "identity_assignments_user_id_identity_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."identity_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_assignments" ADD CONSTRAINT "identity_assignments_group_id_identity_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."identity_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_assignments" ADD CONSTRAINT "identity_assignments_target_id_identity_projects_id_fk" FOREIGN KEY ("target_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_assignments" ADD CONSTRAINT "identity_assignments_role_id_identity_roles_id_fk" FOREIGN KEY ("role_id") REFERENCES "public"."identity_roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_endpoints" ADD CONSTRAINT "identity_endpoints_service_id_identity_services_id_fk" FOREIGN KEY ("service_id") REFERENCES "public"."identity_services"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_endpoints" ADD CONSTRAINT "identity_endpoints_region_id_identity_regions_id_fk" FOREIGN KEY ("region_id") REFERENCES "public"."identity_regions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_group_members" ADD CONSTRAINT "identity_group_members_group_id_identity_groups_id_fk" FOREIGN KEY ("group_id") REFERENCES "public"."identity_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_group_members" ADD CONSTRAINT "identity_group_members_user_id_identity_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."identity_users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_groups" ADD CONSTRAINT "identity_groups_domain_id_identity_projects_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_projects" ADD CONSTRAINT "identity_projects_domain_id_identity_projects_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_projects" ADD CONSTRAINT "identity_projects_parent_id_identity_projects_id_fk" FOREIGN KEY ("parent_id") REFERENCES "public"."identity_projects"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_regions" ADD CONSTRAINT "identity_regions_parent_region_id_identity_regions_id_fk" FOREIGN KEY ("parent_region_id") REFERENCES "public"."identity_regions"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_role_implications" ADD CONSTRAINT "identity_role_implications_prior_role_id_identity_roles_id_fk" FOREIGN KEY ("prior_role_id") REFERENCES "public"."identity_roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_role_implications" ADD CONSTRAINT "identity_role_implications_implied_role_id_identity_roles_id_fk" FOREIGN KEY ("implied_role_id") REFERENCES "public"."identity_roles"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_roles" ADD CONSTRAINT "identity_roles_domain_id_identity_projects_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "identity_users" ADD CONSTRAINT "identity_users_domain_id_identity_projects_id_fk" FOREIGN KEY ("domain_id") REFERENCES "public"."identity_projects"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "network_rbacs_target_project_action_index" ON "network_rbacs" USING btree ("target_project","action");--> statement-breakpoint
CREATE INDEX "network_segments_network_id_index" ON "network_segments" USING btree ("network_id");--> statement-breakpoint
CREATE UNIQUE INDEX "network_segments_reservation" ON "network_segments" USING btree ("network_type",coalesce("physical_network", ''),coalesce("segmentation_id", 0)) WHERE "network_segments"."network_type" <> 'local';--> statement-breakpoint
CREATE INDEX "networks_project_id_index" ON "networks" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "ip_allocations_port_id_index" ON "ip_allocations" USING btree ("port_id");--> statement-breakpoint
CREATE INDEX "ip_allocations_ip_address_index" ON "ip_allocations" USING btree ("ip_address");--> statement-breakpoint
CREATE UNIQUE INDEX "port_bindings_one_active" ON "port_bindings" USING btree ("port_id") WHERE "port_bindings"."status" = 'ACTIVE';--> statement-breakpoint
CREATE INDEX "port_bindings_host_index" ON "port_bindings" USING btree ("host");--> statement-breakpoint
CREATE INDEX "ports_project_id_index" ON "ports" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "ports_device_id_index" ON "ports" USING btree ("device_id");--> statement-breakpoint
CREATE INDEX "ports_network_id_device_owner_index" ON "ports" USING btree ("network_id","device_owner");--> statement-breakpoint
CREATE INDEX "subnets_network_id_index" ON "subnets" USING btree ("network_id");--> statement-breakpoint
CREATE INDEX "subnets_project_id_index" ON "subnets" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "subnets_cidr_index" ON "subnets" USING btree ("cidr");--> statement-breakpoint
CREATE INDEX "identity_assignments_group" ON "identity_assignments" USING btree ("group_id");--> statement-breakpoint
CREATE INDEX "identity_assignments_target" ON "identity_assignments" USING btree ("target_id");--> statement-breakpoint
CREATE INDEX "identity_group_members_user" ON "identity_group_members" USING btree ("user_id");--> statement-breakpoint
CREATE INDEX "identity_login_failures_last" ON "identity_login_failures" USING btree ("last_failure_at");--> statement-breakpoint
CREATE INDEX "identity_projects_parent" ON "identity_projects" USING btree ("parent_id");--> statement-breakpoint
CREATE INDEX "identity_revocations_revision" ON "identity_revocations" USING btree ("revision");