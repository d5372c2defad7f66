CREATE TABLE "address_group_addresses" (
	"address_group_id" uuid NOT NULL,
	"address" "cidr" NOT NULL,
	CONSTRAINT "address_group_addresses_address_group_id_address_pk" PRIMARY KEY("address_group_id","address")
);
--> statement-breakpoint
CREATE TABLE "address_group_rbacs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"object_id" uuid NOT NULL,
	"action" varchar(255) NOT NULL,
	"target_project" varchar(255) NOT NULL,
	CONSTRAINT "address_group_rbacs_once" UNIQUE("object_id","action","target_project")
);
--> statement-breakpoint
CREATE TABLE "address_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) NOT NULL
);
--> statement-breakpoint
CREATE TABLE "default_security_group_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"direction" varchar(16) NOT NULL,
	"ethertype" varchar(16) NOT NULL,
	"protocol" varchar(40),
	"port_range_min" integer,
	"port_range_max" integer,
	"remote_ip_prefix" varchar(255),
	"remote_group_id" varchar(36),
	"remote_address_group_id" uuid,
	"used_in_default_sg" boolean DEFAULT false NOT NULL,
	"used_in_non_default_sg" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "port_security_groups" (
	"port_id" uuid NOT NULL,
	"security_group_id" uuid NOT NULL,
	CONSTRAINT "port_security_groups_port_id_security_group_id_pk" PRIMARY KEY("port_id","security_group_id")
);
--> statement-breakpoint
CREATE TABLE "security_group_rbacs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"object_id" uuid NOT NULL,
	"action" varchar(255) NOT NULL,
	"target_project" varchar(255) NOT NULL,
	CONSTRAINT "security_group_rbacs_once" UNIQUE("object_id","action","target_project")
);
--> statement-breakpoint
CREATE TABLE "security_group_rules" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"security_group_id" uuid NOT NULL,
	"direction" varchar(16) NOT NULL,
	"ethertype" varchar(16) NOT NULL,
	"protocol" varchar(40),
	"port_range_min" integer,
	"port_range_max" integer,
	"remote_ip_prefix" varchar(255),
	"remote_group_id" uuid,
	"remote_address_group_id" uuid,
	CONSTRAINT "security_group_rules_once" UNIQUE NULLS NOT DISTINCT("security_group_id","direction","ethertype","protocol","port_range_min","port_range_max","remote_ip_prefix","remote_group_id","remote_address_group_id")
);
--> statement-breakpoint
CREATE TABLE "security_groups" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"stateful" boolean DEFAULT true NOT NULL,
	"is_default" boolean DEFAULT false NOT NULL
);
--> statement-breakpoint
CREATE TABLE "address_scope_rbacs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"object_id" uuid NOT NULL,
	"action" varchar(255) NOT NULL,
	"target_project" varchar(255) NOT NULL,
	CONSTRAINT "address_scope_rbacs_once" UNIQUE("object_id","action","target_project")
);
--> statement-breakpoint
CREATE TABLE "address_scopes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"name" varchar(255) NOT NULL,
	"ip_version" smallint NOT NULL
);
--> statement-breakpoint
CREATE TABLE "subnetpool_prefixes" (
	"subnetpool_id" uuid NOT NULL,
	"cidr" "cidr" NOT NULL,
	CONSTRAINT "subnetpool_prefixes_subnetpool_id_cidr_pk" PRIMARY KEY("subnetpool_id","cidr")
);
--> statement-breakpoint
CREATE TABLE "subnetpool_rbacs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"object_id" uuid NOT NULL,
	"action" varchar(255) NOT NULL,
	"target_project" varchar(255) NOT NULL,
	CONSTRAINT "subnetpool_rbacs_once" UNIQUE("object_id","action","target_project")
);
--> statement-breakpoint
CREATE TABLE "subnetpools" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) NOT NULL,
	"ip_version" smallint NOT NULL,
	"default_prefixlen" integer NOT NULL,
	"min_prefixlen" integer NOT NULL,
	"max_prefixlen" integer NOT NULL,
	"default_quota" integer,
	"is_default" boolean DEFAULT false NOT NULL,
	"address_scope_id" uuid
);
--> statement-breakpoint
ALTER TABLE "network_segments" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "dns_domain" varchar(255) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "vlan_transparent" boolean;--> statement-breakpoint
ALTER TABLE "networks" ADD COLUMN "qinq" boolean;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "ip_allocation" varchar(16) DEFAULT 'immediate' NOT NULL;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "dns_name" varchar(255) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "dns_domain" varchar(255) DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "data_plane_status" varchar(16);--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "propagate_uplink_status" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "device_profile" varchar(255);--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "numa_affinity_policy" varchar(64);--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "hardware_offload_type" varchar(255);--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "hints" json;--> statement-breakpoint
ALTER TABLE "ports" ADD COLUMN "trusted" boolean;--> statement-breakpoint
ALTER TABLE "subnets" ADD COLUMN "tags" text[] DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "subnets" ADD COLUMN "prefix_delegated" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "subnets" ADD COLUMN "dns_publish_fixed_ip" boolean DEFAULT false NOT NULL;--> statement-breakpoint
ALTER TABLE "address_group_addresses" ADD CONSTRAINT "address_group_addresses_address_group_id_address_groups_id_fk" FOREIGN KEY ("address_group_id") REFERENCES "public"."address_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_group_rbacs" ADD CONSTRAINT "address_group_rbacs_object_id_address_groups_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."address_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "default_security_group_rules" ADD CONSTRAINT "default_security_group_rules_remote_address_group_id_address_groups_id_fk" FOREIGN KEY ("remote_address_group_id") REFERENCES "public"."address_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_security_groups" ADD CONSTRAINT "port_security_groups_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_security_groups" ADD CONSTRAINT "port_security_groups_security_group_id_security_groups_id_fk" FOREIGN KEY ("security_group_id") REFERENCES "public"."security_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_rbacs" ADD CONSTRAINT "security_group_rbacs_object_id_security_groups_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."security_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_rules" ADD CONSTRAINT "security_group_rules_security_group_id_security_groups_id_fk" FOREIGN KEY ("security_group_id") REFERENCES "public"."security_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_rules" ADD CONSTRAINT "security_group_rules_remote_group_id_security_groups_id_fk" FOREIGN KEY ("remote_group_id") REFERENCES "public"."security_groups"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "security_group_rules" ADD CONSTRAINT "security_group_rules_remote_address_group_id_address_groups_id_fk" FOREIGN KEY ("remote_address_group_id") REFERENCES "public"."address_groups"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "address_scope_rbacs" ADD CONSTRAINT "address_scope_rbacs_object_id_address_scopes_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."address_scopes"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnetpool_prefixes" ADD CONSTRAINT "subnetpool_prefixes_subnetpool_id_subnetpools_id_fk" FOREIGN KEY ("subnetpool_id") REFERENCES "public"."subnetpools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnetpool_rbacs" ADD CONSTRAINT "subnetpool_rbacs_object_id_subnetpools_id_fk" FOREIGN KEY ("object_id") REFERENCES "public"."subnetpools"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "subnetpools" ADD CONSTRAINT "subnetpools_address_scope_id_address_scopes_id_fk" FOREIGN KEY ("address_scope_id") REFERENCES "public"."address_scopes"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "address_group_rbacs_target_project_action_index" ON "address_group_rbacs" USING btree ("target_project","action");--> statement-breakpoint
CREATE INDEX "address_groups_project_id_index" ON "address_groups" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "address_groups_tags" ON "address_groups" USING gin ("tags") WHERE "address_groups"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "port_security_groups_security_group_id_index" ON "port_security_groups" USING btree ("security_group_id");--> statement-breakpoint
CREATE INDEX "security_group_rbacs_target_project_action_index" ON "security_group_rbacs" USING btree ("target_project","action");--> statement-breakpoint
CREATE INDEX "security_group_rules_project_id_index" ON "security_group_rules" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "security_group_rules_remote_group_id_index" ON "security_group_rules" USING btree ("remote_group_id");--> statement-breakpoint
CREATE INDEX "security_group_rules_remote_address_group_id_index" ON "security_group_rules" USING btree ("remote_address_group_id");--> statement-breakpoint
CREATE INDEX "security_group_rules_tags" ON "security_group_rules" USING gin ("tags") WHERE "security_group_rules"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "security_groups_project_id_index" ON "security_groups" USING btree ("project_id");--> statement-breakpoint
CREATE UNIQUE INDEX "security_groups_one_default" ON "security_groups" USING btree ("project_id") WHERE "security_groups"."is_default";--> statement-breakpoint
CREATE INDEX "security_groups_tags" ON "security_groups" USING gin ("tags") WHERE "security_groups"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "address_scope_rbacs_target_project_action_index" ON "address_scope_rbacs" USING btree ("target_project","action");--> statement-breakpoint
CREATE INDEX "address_scopes_project_id_index" ON "address_scopes" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "subnetpool_rbacs_target_project_action_index" ON "subnetpool_rbacs" USING btree ("target_project","action");--> statement-breakpoint
CREATE INDEX "subnetpools_project_id_index" ON "subnetpools" USING btree ("project_id");--> statement-breakpoint
CREATE INDEX "subnetpools_address_scope_id_index" ON "subnetpools" USING btree ("address_scope_id");--> statement-breakpoint
CREATE UNIQUE INDEX "subnetpools_one_default" ON "subnetpools" USING btree ("ip_version") WHERE "subnetpools"."is_default";--> statement-breakpoint
CREATE INDEX "subnetpools_tags" ON "subnetpools" USING gin ("tags") WHERE "subnetpools"."tags" <> '{}';--> statement-breakpoint
ALTER TABLE "subnets" ADD CONSTRAINT "subnets_subnetpool_id_subnetpools_id_fk" FOREIGN KEY ("subnetpool_id") REFERENCES "public"."subnetpools"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "external_networks_one_default" ON "external_networks" USING btree ("is_default") WHERE "external_networks"."is_default";--> statement-breakpoint
CREATE INDEX "networks_tags" ON "networks" USING gin ("tags") WHERE "networks"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "ports_tags" ON "ports" USING gin ("tags") WHERE "ports"."tags" <> '{}';--> statement-breakpoint
CREATE INDEX "subnets_subnetpool_id_index" ON "subnets" USING btree ("subnetpool_id");--> statement-breakpoint
CREATE INDEX "subnets_tags" ON "subnets" USING gin ("tags") WHERE "subnets"."tags" <> '{}';