CREATE TABLE "flavors" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" varchar(255) DEFAULT '' NOT NULL,
	"description" varchar(1024),
	"service_type" varchar(36) NOT NULL,
	"enabled" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
CREATE TABLE "auto_allocated_topologies" (
	"project_id" varchar(255) PRIMARY KEY NOT NULL,
	"network_id" uuid NOT NULL,
	"router_id" uuid,
	CONSTRAINT "auto_allocated_topologies_network" UNIQUE("network_id"),
	CONSTRAINT "auto_allocated_topologies_router" UNIQUE("router_id")
);
--> statement-breakpoint
CREATE TABLE "flavor_service_profiles" (
	"flavor_id" uuid NOT NULL,
	"service_profile_id" uuid NOT NULL,
	CONSTRAINT "flavor_service_profiles_once" PRIMARY KEY("flavor_id","service_profile_id")
);
--> statement-breakpoint
CREATE TABLE "service_profiles" (
	"id" uuid PRIMARY KEY NOT NULL,
	"description" varchar(1024),
	"driver" varchar(1024) DEFAULT '' NOT NULL,
	"metainfo" varchar(4096),
	"enabled" boolean DEFAULT true NOT NULL
);
--> statement-breakpoint
ALTER TABLE "routers" ADD COLUMN "flavor_id" uuid;--> statement-breakpoint
ALTER TABLE "auto_allocated_topologies" ADD CONSTRAINT "auto_allocated_topologies_network_id_networks_id_fk" FOREIGN KEY ("network_id") REFERENCES "public"."networks"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "auto_allocated_topologies" ADD CONSTRAINT "auto_allocated_topologies_router_id_routers_id_fk" FOREIGN KEY ("router_id") REFERENCES "public"."routers"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flavor_service_profiles" ADD CONSTRAINT "flavor_service_profiles_flavor_id_flavors_id_fk" FOREIGN KEY ("flavor_id") REFERENCES "public"."flavors"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "flavor_service_profiles" ADD CONSTRAINT "flavor_service_profiles_service_profile_id_service_profiles_id_fk" FOREIGN KEY ("service_profile_id") REFERENCES "public"."service_profiles"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "flavor_service_profiles_service_profile_id_index" ON "flavor_service_profiles" USING btree ("service_profile_id");--> statement-breakpoint
ALTER TABLE "routers" ADD CONSTRAINT "routers_flavor_id_flavors_id_fk" FOREIGN KEY ("flavor_id") REFERENCES "public"."flavors"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "routers_flavor" ON "routers" USING btree ("flavor_id") WHERE "routers"."flavor_id" is not null;