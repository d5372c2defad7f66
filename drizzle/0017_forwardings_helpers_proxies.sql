CREATE TABLE "conntrack_helpers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"router_id" uuid NOT NULL,
	"protocol" varchar(40) NOT NULL,
	"port" integer NOT NULL,
	"helper" varchar(64) NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	CONSTRAINT "conntrack_helpers_once" UNIQUE("router_id","protocol","port","helper")
);
--> statement-breakpoint
CREATE TABLE "ndp_proxies" (
	"id" uuid PRIMARY KEY NOT NULL,
	"project_id" varchar(255) NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"router_id" uuid NOT NULL,
	"port_id" uuid NOT NULL,
	"ip_address" "inet" NOT NULL,
	CONSTRAINT "ndp_proxies_address_once" UNIQUE("router_id","ip_address")
);
--> statement-breakpoint
CREATE TABLE "port_forwardings" (
	"id" uuid PRIMARY KEY NOT NULL,
	"standard_attr_id" bigint DEFAULT nextval('standard_attr_id_seq') NOT NULL,
	"description" varchar(255) DEFAULT '' NOT NULL,
	"tags" text[] DEFAULT '{}' NOT NULL,
	"revision_number" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"updated_at" timestamp with time zone DEFAULT now() NOT NULL,
	"floatingip_id" uuid NOT NULL,
	"internal_port_id" uuid NOT NULL,
	"internal_ip_address" "inet" NOT NULL,
	"protocol" varchar(40) NOT NULL,
	"internal_port_start" integer NOT NULL,
	"internal_port_end" integer NOT NULL,
	"external_port_start" integer NOT NULL,
	"external_port_end" integer NOT NULL,
	CONSTRAINT "port_forwardings_outside_once" UNIQUE("floatingip_id","protocol","external_port_start"),
	CONSTRAINT "port_forwardings_inside_once" UNIQUE("internal_port_id","protocol","internal_ip_address","internal_port_start")
);
--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "enable_ndp_proxy" boolean;--> statement-breakpoint
ALTER TABLE "conntrack_helpers" ADD CONSTRAINT "conntrack_helpers_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ndp_proxies" ADD CONSTRAINT "ndp_proxies_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "ndp_proxies" ADD CONSTRAINT "ndp_proxies_port_id_ports_id_fk" FOREIGN KEY ("port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_forwardings" ADD CONSTRAINT "port_forwardings_floatingip_id_floatingips_id_fk" FOREIGN KEY ("floatingip_id") REFERENCES "public"."floatingips"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "port_forwardings" ADD CONSTRAINT "port_forwardings_internal_port_id_ports_id_fk" FOREIGN KEY ("internal_port_id") REFERENCES "public"."ports"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "ndp_proxies_project_id_id_index" ON "ndp_proxies" USING btree ("project_id","id");--> statement-breakpoint
CREATE INDEX "ndp_proxies_port_id_index" ON "ndp_proxies" USING btree ("port_id");--> statement-breakpoint
CREATE INDEX "port_forwardings_floatingip_id_id_index" ON "port_forwardings" USING btree ("floatingip_id","id");